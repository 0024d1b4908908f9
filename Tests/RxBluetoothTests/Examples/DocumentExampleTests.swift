import FoundationEssentials
import Testing

/// The article on testing and the README contain examples from this folder, which also run as tests.
struct DocumentExampleTests {
    @Test(arguments: [
        ("/Mocks/Mocks.docc/TestingAGateway.md", "GatewayTests.swift"), ("/README.md", "LostLinkExampleTests.swift"),
        ("/docs/radio.md", "DirectConnectionExampleTests.swift"), ("/docs/radio.md", "L2CAPExampleTests.swift"),
        ("/README.md", "StayingConnectedTests.swift"), ("/docs/local-services.md", "PublishedServiceTests.swift"),
        ("/Mocks/Mocks.docc/TestingAGateway.md", "ParserTests.swift"),
        ("/README.md", "SensorExample.swift"),
    ])
    func `The document contains the example verbatim`(_ page: String, _ file: String) throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        func text(_ path: String) throws -> String {
            String(decoding: try #require(FileManager.default.contents(atPath: root + path)), as: UTF8.self)
        }
        let example = try text("/Tests/RxBluetoothTests/Examples/" + file)
        #expect(try text(page).contains("```swift\n" + example + "```\n"))
    }
}
