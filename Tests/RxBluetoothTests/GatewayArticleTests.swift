import FoundationEssentials
import Testing

/// The example of the article is compiled and run as GatewayTests.swift.
struct GatewayArticleTests {
    @Test func `The article shows the test that runs`() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        func text(_ path: String) throws -> String {
            String(decoding: try #require(FileManager.default.contents(atPath: root + path)), as: UTF8.self)
        }
        let article = try text("/Mocks/Mocks.docc/TestingAGateway.md")
        let example = try text("/Tests/RxBluetoothTests/GatewayTests.swift")
        #expect(article.contains("```swift\n" + example + "```\n"))
    }
}
