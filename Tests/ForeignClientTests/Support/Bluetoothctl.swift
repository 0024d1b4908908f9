import Foundation
import Testing

/// A session with bluetoothctl, as a user has one: it gets a line at a time, and what it prints is read.
///
/// Given a command on its command line instead, bluetoothctl 5.66 ends as soon as its advertisement monitors are registered,
/// which a bluetoothd with `-E` confirms before it has connected or paired: the real one as well.
final class Bluetoothctl {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    /// Where bluetoothctl has died, what is written to it must not end the tests.
    private let spare: FileHandle
    private var printed: [UInt8] = []
    /// How much of that, as plain text, was looked at.
    private var looked = 0

    /// Begins a session, and waits until its agent is registered. Where bluetoothctl hangs, it is ended after 40 s.
    init(on served: Served) throws {
        spare = FileHandle(
            fileDescriptor: fcntl(input.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0), closeOnDealloc: true)
        process = try Ground.process(["bluetoothctl"], bus: served.bus, limit: 40, output: output)
        process.standardInput = input
        try process.run()
        try wait(until: "Agent registered\n")
    }

    deinit {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Types a command, and gives what is printed from then on until there is this text, and that text.
    @discardableResult
    func say(_ command: String, until end: String) throws -> String {
        try type(command)
        return try wait(until: end)
    }

    /// Types a command that bluetoothctl answers at once from what it knows, and gives the answer.
    func ask(_ command: String) throws -> String {
        try type(command)
        return try say("version", until: "Version 5.")
    }

    /// Scans until these devices are found, and stops.
    func find(_ devices: String...) throws {
        try type("scan on")
        try wait(untilAll: devices.map { "[NEW] Device \($0)\n" })
        try say("scan off", until: "Discovery stopped\n")
    }

    /// Waits for a text, and gives what was printed until then.
    @discardableResult
    func wait(until end: String) throws -> String { try wait(untilAll: [end]) }

    /// Waits for texts in any order, and gives what was printed until then.
    @discardableResult
    private func wait(untilAll ends: [String]) throws -> String {
        while true {
            let text = Self.plain(printed)
            let new = text[text.utf8.index(text.startIndex, offsetBy: looked)...]
            let found = ends.map { new.range(of: $0)?.upperBound }
            if !found.contains(nil), let last = found.compactMap(\.self).max() {
                looked = text.utf8.distance(from: text.startIndex, to: last)
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

    /// What was printed without what is for terminals: colours, and prompts that are written over.
    static func plain(_ printed: [UInt8]) -> String {
        String(decoding: printed, as: UTF8.self)
            .replacing(/\u{1B}\[[0-9;]*[A-Za-z]|[\u{1}\u{2}]/, with: "")
            .replacing(/\r(\[[^\]\n]*\]# )?/, with: "")
    }
}
