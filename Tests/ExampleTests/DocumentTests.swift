import FoundationEssentials
import Testing

/// Each block of Swift in the documentation occurs in a file that the tests compile, and usually run.
///
/// Differences in indentation and in spaces before comments do not matter. A line `// …` divides a block: its parts may
/// be in different places. Imports at the top of a block may be anywhere in the file that has the rest.
struct DocumentTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/"
    /// The folders with the code. All their files are compiled.
    private static let compiled = [
        "Tests/ExampleTests", "Tests/RxBluetoothTests/Examples", "Tests/BluetoothValuesTests",
        "Tests/RxFoundationTests",
        "Examples",
    ]
    /// Pages for contributors, which show code of tests in part.
    private static let exceptions = ["docs/style.md", "docs/architecture.md"]

    private static let documents: [String] = {
        let files = ["Sources", "Mocks", "docs", "Examples"].flatMap { paths(in: $0, suffix: ".md") }
        return (["README.md"] + files).filter { !exceptions.contains($0) }
    }()

    private static func paths(in folder: String, suffix: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: root + folder)) ?? []
        return names.filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.sorted().map { folder + "/" + $0 }
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: root + path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The lines of all compiled files, each with its indentation and without repeated spaces.
    private static let sources: [[Line]] = compiled.flatMap { paths(in: $0, suffix: ".swift") }.map { lines(text($0)) }

    private struct Line: Equatable {
        let indent: Int
        let text: String

        init(_ line: Substring) {
            indent = line.prefix { $0 == " " }.count
            text = line.split(separator: " ").joined(separator: " ")
        }
    }

    private static func lines(_ text: String) -> [Line] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(Line.init)
    }

    /// The Swift blocks of a document: the number of the first line, and the lines.
    private static func blocks(of document: String) -> [(number: Int, lines: [Line])] {
        var blocks: [(number: Int, lines: [Line])] = []
        var isInside = false
        for (index, line) in lines(text(document)).enumerated() {
            if isInside, line.text == "```" {
                isInside = false
            } else if isInside, line.text == "@main" {
                continue  // It would replace the main function of the tests.
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            } else if line.text == "```swift" {
                isInside = true
                blocks.append((index + 2, []))
            }
        }
        return blocks
    }

    /// Whether the lines are a part of a package manifest, which no test compiles.
    private static func isManifest(_ lines: [Line]) -> Bool {
        ["// swift-tools-version", "dependencies: [", ".package("].contains { lines.first?.text.hasPrefix($0) == true }
    }

    private static func occurs(_ part: ArraySlice<Line>, in source: [Line]) -> Bool {
        let imports = part.prefix { $0.text.contains("import ") }
        guard imports.allSatisfy(source.contains) else { return false }
        let block = part.dropFirst(imports.count).drop { $0.text.isEmpty }
        guard let first = block.first, block.count <= source.count else { return false }
        return source.indices.dropLast(block.count - 1).contains { start in
            let shift = source[start].indent - first.indent
            return zip(block, source[start...]).allSatisfy { wanted, line in
                wanted.text == line.text && (wanted.text.isEmpty || wanted.indent + shift == line.indent)
            }
        }
    }

    @Test(arguments: documents) func `The code of a document is compiled`(_ document: String) {
        for block in Self.blocks(of: document) where !Self.isManifest(block.lines) {
            for part in block.lines.split(whereSeparator: { $0.text == "// …" }) {
                let isCompiled = Self.sources.contains { Self.occurs(part, in: $0) }
                #expect(isCompiled, "\(document):\(block.number): no compiled file has: \(part.first?.text ?? "")")
            }
        }
    }

    /// The helpers that the tests of the library share. Users do not have them.
    private static let helpers = paths(in: "Tests", suffix: ".swift")
        .filter { $0.hasPrefix("Tests/RxBluetoothTests/Support/") }
        .compactMap { $0.split(separator: "/").last?.split(whereSeparator: { $0 == "." || $0 == "+" }).first }

    @Test(arguments: documents) func `No document uses a helper of the tests`(_ document: String) {
        let words = Set(Self.text(document).split { !$0.isLetter && !$0.isNumber })
        let used = Self.helpers.filter { words.contains($0) }
        #expect(used.isEmpty, "\(document)")
    }

    @Test func `Documents and their blocks are found`() {
        #expect(Self.helpers.contains("SimulatedL2CAP"))
        #expect(Self.documents.contains("Sources/BluetoothValues/BluetoothValues.docc/AddingAFormat.md"))
        #expect(Self.blocks(of: "README.md").count > 3)
        #expect(!Self.occurs(Self.lines("func missing() {}")[...], in: Self.lines("func present() {}")))
    }
}
