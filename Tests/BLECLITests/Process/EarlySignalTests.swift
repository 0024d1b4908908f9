import Foundation
import Glibc
import Testing

@testable import ble_cli

/// Signals that arrive while a file is read, before a command runs.
@Suite(.timeLimit(.minutes(5)))
struct EarlySignalTests {
    @Test(
        arguments: [
            (["simulate"], SIGINT, 130), (["scan", "--scenario"], SIGTERM, 143),
            (["read", "Tag", "2A19", "--scenario"], SIGHUP, 129),
        ] as [([String], Int32, Int32)])
    func `A signal ends a command while it reads a scenario`(
        arguments: [String], signal: Int32, code: Int32
    ) async throws {
        // Reading takes many seconds, and would end with an error in the last line.
        let path = NSTemporaryDirectory() + "ble-cli-\(UUID().uuidString).yaml"
        let text = "quirks: [" + String(repeating: "Q2,", count: 5_000_000) + "Q2]\nseed: none\n"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let program = CLIProcess(list: arguments + [path])
        await program.handlesSignals()
        program.signal(signal)
        let end = await program.end()
        #expect(end.code == code)
        #expect(end.output.isEmpty && end.errors.isEmpty)
    }
}
