import Foundation
import Testing

/// The programs that the tests run, and their environment. `make test-clients` installs them and sets the variables.
enum ClientPrograms {
    private static let environment = ProcessInfo.processInfo.environment

    /// The Python with Bleak; nil if the tests are disabled.
    static let python = environment["RXBLUETOOTH_CLIENTS"]
    static let bleCLI = environment["RXBLUETOOTH_CLI"] ?? ".build/debug/ble-cli"

    /// The path of a file in the folder `Clients`.
    static func file(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Clients/\(name)").path
    }

    /// Prepares a program that uses a bus as the system bus.
    ///
    /// It inherits no open files, and is terminated after `limit` seconds, even if the tests have crashed.
    static func process(_ words: [String], bus: String = "", limit: Int, output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(python))
        process.arguments =
            [file("exec_with_default_signals.py"), "env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus)"]
            // With --foreground, timeout forwards a signal to the process only; otherwise also to its group.
            + ["timeout", "--foreground", "--kill-after=20", "\(limit)"] + words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        return process
    }
}
