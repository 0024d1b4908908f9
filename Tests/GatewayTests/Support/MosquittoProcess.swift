import Foundation
import Testing

@testable import Gateway

/// The trait of tests that need mosquitto. scripts/test-gateway sets the variable.
let needsMosquitto = ConditionTrait.enabled(if: ProcessInfo.processInfo.environment["RXBLUETOOTH_MOSQUITTO"] != nil)

/// A mosquitto broker of a test, with its own port and folder.
final class MosquittoProcess {
    let folder: TemporaryFolder
    let port: UInt16
    private let configuration: String
    private var process: Process?

    /// Starts mosquitto with further lines of its configuration.
    init(_ lines: [String] = ["allow_anonymous true"], in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        port = Self.unusedPort()
        let text =
            [
                "listener \(port) 127.0.0.1", "user root", "persistence true",
                "persistence_location \(self.folder.path(""))", "log_dest stderr", "connection_messages true",
                "max_queued_messages 0", "autosave_on_changes true", "autosave_interval 1",
            ] + lines
        configuration = self.folder.path("mosquitto.conf")
        try self.folder.write("mosquitto.conf", Array(text.joined(separator: "\n").utf8))
        try start()
    }

    deinit { kill() }

    /// Returns a port outside the range from which the kernel chooses ports.
    private static func unusedPort() -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<32_000)
            guard let listener = try? LoopbackSocket.listen(on: port) else { continue }
            close(listener.descriptor)
            return port
        }
    }

    var settings: BrokerSettings {
        var settings = BrokerSettings()
        settings.host = "localhost"
        settings.port = port
        settings.initialDelay = .milliseconds(100)
        settings.maximumDelay = .milliseconds(500)
        return settings
    }

    /// Returns when mosquitto accepts connections.
    func start() throws {
        let process = Process()
        // The threads of Dispatch block signals, and a child inherits that; mosquitto would ignore SIGTERM.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let unblock =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
        process.arguments = ["-c", unblock, "/usr/sbin/mosquitto", "-c", configuration]
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        self.process = process
        var output = ""
        while !output.contains(" running") {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { throw MosquittoError(output: output) }
            output += String(decoding: data, as: UTF8.self)
        }
        // mosquitto must not block on a full pipe.
        pipe.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
    }

    /// Ends mosquitto as a crash does.
    func kill() {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Ends mosquitto in an orderly way; it saves its state.
    func stop() {
        process?.terminate()
        process?.waitUntilExit()
    }

    /// Runs a program of this machine, for example openssl.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

struct MosquittoError: Error {
    let output: String
}
