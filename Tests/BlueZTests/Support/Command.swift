import Foundation

/// The exit status and the output of a program.
struct Command {
    let status: Int32
    let output: String
    let errors: String

    /// Runs a program, by its name or path, until it exits, and reads its output.
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
        // stdout is read to its end before stderr. This cannot block: the few lines on stderr fit into the pipe's
        // buffer.
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let reported = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Command(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: reported, as: UTF8.self))
    }

    /// Runs the ble-cli that `make test-bluez` sets in the environment, with a limit of 60 s in case it hangs.
    static func bleCLI(_ words: String...) throws -> Command { try run(["timeout", "300", bleCLIPath] + words) }

    static var bleCLIPath: String { ProcessInfo.processInfo.environment["RXBLUETOOTH_CLI"] ?? ".build/debug/ble-cli" }

    /// The lines of stdout as JSON objects.
    func objects() throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}
