import Foundation
import Testing

/// The articles contain the code that the tests compile and run.
struct ArticleTests {
    private static let tests = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
    private static let articles = tests + "/../../Sources/BluetoothValues/BluetoothValues.docc/"

    private func text(_ path: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    }

    /// The text between two lines, without the indentation of the first line.
    private func part(_ text: String, from start: String, to end: String) throws -> String {
        let from = try #require(text.range(of: start)?.upperBound)
        let to = try #require(text.range(of: end)?.lowerBound)
        let lines = text[from..<to].split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast()
        let indent = lines.first?.prefix { $0 == " " }.count ?? 0
        return lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
    }

    @Test func `Adding a format shows the format and the tests that are compiled`() throws {
        let article = try text(Self.articles + "AddingAFormat.md")
        for file in ["ExampleFormat", "ExampleFormatTests"] {
            let code = try text(Self.tests + "/\(file).swift")
            #expect(article.contains("```swift\n" + code + "```\n"), "\(file).swift")
        }
    }

    @Test func `Reading sensors shows the example that is compiled`() throws {
        let article = try text(Self.articles + "ReadingSensors.md")
        let code = try text(Self.tests + "/ReadingSensorsExample.swift")
        let example = try part(code, from: "// Begin of the example.", to: "        // End of the example.")
        #expect(article.contains("```swift\n" + example + "\n```\n"), "\(example)")
    }
}
