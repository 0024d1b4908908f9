import Foundation
import Glibc
import Testing

@testable import ble_cli

/// Signals that arrive while a file is read, before a command runs.
///
/// The times are CPU times, so they do not depend on the load of the machine.
@Suite(.timeLimit(.minutes(5)))
struct EarlySignalTests {
    /// The CPU time that a program may use after a signal.
    private static let prompt = Duration.milliseconds(200)
    /// The CPU time after which a program reads its file, unless the computer is so fast that it has read it by then.
    private static let busy = Duration.milliseconds(100)

    /// A program with the thread sanitizer otherwise sleeps for a second at its end, while a thread that reads a file
    /// goes on using CPU time.
    private static let endsAtOnce = ["TSAN_OPTIONS": "atexit_sleep_ms=0"]

    /// Returns the CPU time after which to interrupt a program: ``busy``, or half of the time of the whole program.
    private func busyTime(of program: CLIProcess) async -> Duration {
        let killed = await program.signalChild(SIGKILL) { $0.cpuTime >= Self.busy * 2 }
        let end = await program.end()
        return killed == nil ? min(Self.busy, end.cpuTime / 2) : Self.busy
    }

    /// Starts a program, in whose command line FILE stands for a path.
    private func start(
        _ command: String, _ path: String, bus: String? = nil, input: String = "/dev/null"
    ) -> CLIProcess {
        let words = command.split(separator: " ").map { String($0).replacing("FILE", with: path) }
        return CLIProcess(
            list: Array(words.dropFirst()), bus: bus, input: input, environment: Self.endsAtOnce,
            program: words[0] == "ble-gateway" ? CLIProcess.gatewayPath : CLIProcess.path)
    }

    @Test(
        arguments: [
            ("ble-cli simulate FILE", .scenario, SIGINT), ("ble-cli scan --scenario FILE", .scenario, SIGTERM),
            ("ble-cli read Tag 2A19 --scenario FILE", .scenario, SIGHUP), ("ble-cli run FILE", .steps, SIGINT),
            ("ble-cli decode --manufacturer EC88 --keys FILE 00", .keys, SIGTERM),
            ("ble-cli import FILE", .capture, SIGHUP), ("ble-gateway --check FILE", .configuration, SIGINT),
            ("ble-gateway FILE", .configuration, SIGTERM),
        ] as [(String, LongFile, Int32)])
    func `A signal ends a program while it reads a file`(
        command: String, file: LongFile, signal: Int32
    ) async throws {
        try await withFolder { folder in
            let path = folder + "/file"
            try file.write(to: path)
            let busy = await busyTime(of: start(command, path))
            let program = start(command, path)
            let before = await program.signalChild(signal) { $0.cpuTime >= busy }
            let end = await program.end()
            #expect([128 + signal, -signal].contains(end.code))
            #expect(end.output.isEmpty && end.errors.isEmpty)
            let used = end.cpuTime - (try #require(before))
            #expect(used <= Self.prompt)
        }
    }

    @Test(
        arguments: [
            ("ble-cli run FILE", SIGINT), ("ble-cli run -", SIGTERM), ("ble-cli import FILE", SIGHUP),
            ("ble-cli import -", SIGINT), ("ble-cli decode --manufacturer EC88 --keys FILE 00", SIGTERM),
            ("ble-cli write Strap 2A39 @FILE", SIGHUP), ("ble-cli pair Strap --passkey @FILE", SIGINT),
        ] as [(String, Int32)])
    func `A signal ends a command that waits for the rest of a file`(command: String, signal: Int32) async throws {
        try await withFolder { folder in
            let path = folder + "/pipe"
            unsafe mkfifo(path, 0o600)
            // It is open for writing, so the command waits for more.
            let pipe = unsafe open(path, O_RDWR | O_CLOEXEC)
            defer { close(pipe) }
            let program = start(command, path, input: path)
            await program.handlesSignals()
            let before = await program.signalChild(signal) { $0.letter == "S" }
            let end = await program.end()
            #expect([128 + signal, -signal].contains(end.code))
            #expect(end.output.isEmpty && end.errors.isEmpty)
            let used = end.cpuTime - (try #require(before))
            #expect(used <= Self.prompt)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `A signal ends the gateway while it reads its configuration again`(signal: Int32) async throws {
        try await withFolder { folder in
            let (path, changed) = (folder + "/gateway.yaml", folder + "/changed.yaml")
            try "broker: { host: localhost }\n".write(toFile: path, atomically: false, encoding: .utf8)
            try LongFile.configuration.write(to: changed)
            // A reload does not start the program again, so its file is being read earlier.
            let reading = await busyTime(of: start("ble-gateway --check FILE", changed)) / 2
            // There is no message bus, so the gateway has nothing else to do.
            let program = start("ble-gateway --dry-run FILE", path, bus: "unix:path=/nonexistent")
            for number in [SIGINT, SIGTERM, SIGHUP] { await program.handlesSignals(number, name: "ble-gateway") }
            unsafe rename(changed, path)
            let reload = await program.signalChild(SIGHUP) { $0.letter == "S" }
            let busy = try #require(reload) + reading
            let before = await program.signalChild(signal) { $0.cpuTime >= busy }
            let end = await program.end()
            #expect(end.code == 0)
            #expect(!end.errors.contains("the configuration stays as it was"), "It was read before the signal.")
            let used = end.cpuTime - (try #require(before))
            #expect(used <= Self.prompt)
        }
    }
}
