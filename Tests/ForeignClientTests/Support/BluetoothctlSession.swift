import Foundation
import Testing

/// An interactive session with bluetoothctl: types one line at a time, and reads the output.
///
/// With a command as an argument, bluetoothctl 5.66 exits when its advertisement monitors are registered. A bluetoothd
/// with `-E`, real or simulated, confirms that before it has connected or paired.
final class BluetoothctlSession {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    /// Keeps the pipe open: otherwise, writing after bluetoothctl has crashed would end the tests with SIGPIPE.
    private let inputDuplicate: FileHandle
    private var printed: [UInt8] = []
    /// The number of bytes of the plain text that were already compared.
    private var readCount = 0

    /// Starts a session, and waits until its agent is registered. bluetoothctl is terminated after 40 s.
    init(on simulation: SimulateProcess) throws {
        inputDuplicate = FileHandle(
            fileDescriptor: fcntl(input.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0), closeOnDealloc: true)
        process = try ClientPrograms.process(["bluetoothctl"], bus: simulation.bus, limit: 40, output: output)
        process.standardInput = input
        try process.run()
        try wait(until: "Agent registered\n")
    }

    deinit {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Types a command, and returns the output up to and including a text.
    @discardableResult
    func say(_ command: String, until end: String) throws -> String {
        try type(command)
        return try wait(until: end)
    }

    /// Types a command that bluetoothctl answers without a call, and returns the output.
    func ask(_ command: String) throws -> String {
        try type(command)
        return try say("version", until: "Version 5.")
    }

    /// Scans until these devices are found, and stops the scan.
    func find(_ devices: String...) throws {
        try type("scan on")
        try wait(untilAll: devices.map { "[NEW] Device \($0)\n" })
        try say("scan off", until: "Discovery stopped\n")
    }

    /// Waits for a text, and returns the output up to it.
    @discardableResult
    func wait(until end: String) throws -> String { try wait(untilAll: [end]) }

    /// Waits for texts in any order, and returns the output up to the last one.
    @discardableResult
    private func wait(untilAll ends: [String]) throws -> String {
        while true {
            let text = Self.plain(printed)
            let new = text[text.utf8.index(text.startIndex, offsetBy: readCount)...]
            let found = ends.map { new.range(of: $0)?.upperBound }
            if !found.contains(nil), let last = found.compactMap(\.self).max() {
                readCount = text.utf8.distance(from: text.startIndex, to: last)
                return String(new[..<last])
            }
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "bluetoothctl ended without all of \(ends): \(new)")
            printed += more
        }
    }

    /// Ends the session.
    func quit() throws {
        try type("quit")
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The output without colours and overwritten prompts.
    static func plain(_ printed: [UInt8]) -> String {
        String(decoding: printed, as: UTF8.self)
            .replacing(/\u{1B}\[[0-9;]*[A-Za-z]|[\u{1}\u{2}]/, with: "")
            .replacing(/\r(\[[^\]\n]*\]# )?/, with: "")
    }
}
