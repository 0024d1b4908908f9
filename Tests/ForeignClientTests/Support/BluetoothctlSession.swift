import Foundation
import Testing

/// An interactive session with bluetoothctl: types one line at a time, and reads the output.
///
/// The session types commands, because bluetoothctl 5.66 with a command as an argument exits too early: when its
/// advertisement monitors are registered. A bluetoothd with `-E` registers them before it connects or pairs.
final class BluetoothctlSession {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    /// A copy of the pipe's reading end, which keeps the pipe open.
    ///
    /// Without it, writing after a crash of bluetoothctl would end the tests with SIGPIPE.
    private let inputDuplicate: FileHandle
    private var printed: [UInt8] = []
    /// How many bytes of the plain text earlier waits have already compared.
    private var readCount = 0

    /// Starts a session, and waits until its agent is registered. bluetoothctl is terminated after 40 s.
    init(on simulation: some SimulatedSystemBus) throws {
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

    /// Types a command that bluetoothctl answers without a call to bluetoothd, and returns the output.
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

    /// Waits until all texts have appeared, in any order. Returns the output up to the last one.
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

    /// Ends the session with the command `quit`, and waits until bluetoothctl exits.
    func quit() throws {
        try type("quit")
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Returns the printed text without colours and without prompts that bluetoothctl overwrites.
    static func plain(_ printed: [UInt8]) -> String {
        String(decoding: printed, as: UTF8.self)
            .replacing(/\u{1B}\[[0-9;]*[A-Za-z]|[\u{1}\u{2}]/, with: "")
            .replacing(/\r(\[[^\]\n]*\]# )?/, with: "")
    }
}
