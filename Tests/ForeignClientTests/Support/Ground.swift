import Foundation
import Testing

/// Programs that other people wrote, as they are, on `ble-cli simulate`. `make test-clients` installs them and sets the variables.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Ground.python != nil, "These tests need programs of other people: make test-clients."))
struct ForeignClientTests {}

enum Ground {
    private static let environment = ProcessInfo.processInfo.environment

    /// The Python that has Bleak; nil where the tests are not to run.
    static let python = environment["RXBLUETOOTH_CLIENTS"]
    static let bleCLI = environment["RXBLUETOOTH_CLI"] ?? ".build/debug/ble-cli"

    /// One of the files that go with these tests.
    static func file(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Clients/\(name)").path
    }

    /// A program that is about to run, with this bus as the system's. It is ended after so many seconds, whatever becomes of
    /// the tests, and has none of their files open, so that nothing waits for it.
    static func process(_ words: [String], bus: String = "", limit: Int, output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(python))
        process.arguments =
            [file("unblocked.py"), "env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus)"]
            // In the foreground it passes a signal on once; else to the process, and to its group as well.
            + ["timeout", "--foreground", "--kill-after=20", "\(limit)"] + words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        return process
    }
}
