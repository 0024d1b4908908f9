import Foundation

/// A program run to its end.
struct Command {
    let status: Int32
    let output: String
    let errors: String

    /// Runs a program of the system, or by its path, and reads what it prints.
    static func run(_ words: String...) throws -> Command { try run(words) }

    static func run(_ words: [String]) throws -> Command {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // What goes to stderr is a few lines, which the pipe holds until stdout has ended.
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let complained = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Command(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self))
    }

    /// Runs the ble-cli that `make test-bluez` names. The time limit is for a program that hangs.
    static func bleCLI(_ words: String...) throws -> Command {
        let path = ProcessInfo.processInfo.environment["RXBLUETOOTH_CLI"] ?? ".build/debug/ble-cli"
        return try run(["timeout", "60", path] + words)
    }

    /// The lines of stdout as JSON objects.
    func objects() throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}
