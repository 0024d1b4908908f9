import Foundation
import Testing

/// The client programs and their environment, which `make test-clients` installs and sets.
enum ClientPrograms {
    private static let environment = ProcessInfo.processInfo.environment

    /// The path of the Python with Bleak; nil if the tests are disabled.
    static let python = environment["RXBLUETOOTH_CLIENTS"]
    /// The path of the Python with other decoders of sensors; nil if `make test-values-peers` has not installed them.
    static let sensorDecoders = environment["RXBLUETOOTH_VALUE_PEERS"]
    static let bleCLI = environment["RXBLUETOOTH_CLI"] ?? ".build/debug/ble-cli"

    /// Returns the path of a file in the folder `Clients`.
    static func file(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Clients/\(name)").path
    }

    /// The folder of the repository.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the command lines that a page of the documentation shows below a heading.
    ///
    /// The words of a line have neither the assignments before the program nor the comment.
    static func documented(in page: String, below heading: String) throws -> [[String]] {
        let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
        let rest = try #require(text.components(separatedBy: "\n\(heading)\n").dropFirst().first)
        let section = rest.components(separatedBy: "\n## ")[0]
        return section.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { line in
            let words = line.dropFirst(2).split(separator: " ").prefix { $0 != "#" }
            return words.drop { $0.contains("=") }.map { String($0) }
        }
    }

    /// Prepares a process that uses a given bus as the system bus.
    ///
    /// The process inherits no open files. timeout(1) terminates it after `limit` seconds, even if the tests have
    /// crashed.
    static func process(_ words: [String], bus: String = "", limit: Int, output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(python))
        process.arguments =
            [file("exec_with_default_signals.py"), "env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus)"]
            // With --foreground, timeout(1) forwards a signal only to its child. Otherwise it also signals its own
            // group.
            + ["timeout", "--foreground", "--kill-after=20", "\(limit)"] + words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        return process
    }
}
