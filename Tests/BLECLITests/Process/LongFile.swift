import Foundation

/// A file that takes more than 0.1 s of CPU time to read. Each except the capture ends with an error.
enum LongFile: Sendable {
    case scenario
    case steps
    case keys
    case capture
    case configuration

    /// Writes the file with access for its owner only, because keys need that.
    func write(to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(try content), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
    }

    private var content: [UInt8] {
        get throws {
            switch self {
            // Each is nearly as large as the program accepts: in bytes, or in values of YAML.
            case .scenario: Self.bytes("quirks: [", "Q2             ,", 900_000, "Q2]\nseed: none\n")
            case .steps: Self.bytes("", "read 2A19\n", 100_000, "none\n")
            case .keys: Self.bytes("", String(repeating: " ", count: 63) + "\n", 65_000, "none\n")
            case .capture:
                // It has 200 MB, and its file few kilobytes.
                try ImportArchiveTests.gzip(LargeCaptureTests.header)
                    + [[UInt8]](repeating: try ImportArchiveTests.gzip(LargeCaptureTests.megabyte), count: 200).joined()
            case .configuration: Self.manyAddresses
            }
        }
    }

    private static func bytes(_ start: String, _ part: String, _ count: Int, _ end: String) -> [UInt8] {
        Array((start + String(repeating: part, count: count) + end).utf8)
    }

    private static var manyAddresses: [UInt8] {
        var text = "broker: { host: localhost }\nfilter: { allow: ["
        for number in 0..<190_000 {
            let digits = String(0x1000000 + number, radix: 16).dropFirst()
            let pairs = [digits.prefix(2), digits.dropFirst(2).prefix(2), digits.suffix(2)]
            text += "'C0:FF:EE:" + pairs.joined(separator: ":") + "',"
        }
        return Array((text + "none] }\n").utf8)
    }
}
