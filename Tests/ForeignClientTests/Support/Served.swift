import Foundation
import Testing

/// A running `ble-cli simulate`.
final class Served {
    private let process = Process()
    private let output = Pipe()
    /// Where the simulated bluetoothd is.
    let bus: String

    init(_ scenario: String = "everyday") throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A limit of its own ends it where the tests themselves die.
        process.arguments = ["timeout", "--foreground", "300", Ground.bleCLI, "simulate", scenario]
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            line += String(decoding: more, as: UTF8.self)
        }
        let words = line.split(separator: "=", maxSplits: 1)
        bus = words.count == 2 ? words[1].trimmingCharacters(in: .newlines) : ""
        try #require(words.first == "DBUS_SYSTEM_BUS_ADDRESS", "ble-cli simulate printed \(line)")
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Ends it, and gives how many advertisements it says it sent.
    func end() throws -> Int {
        process.terminate()
        let rest = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 143)
        let words = rest.split(whereSeparator: \.isWhitespace)
        return try #require(words.count == 3 && words[0] == "Sent" ? Int(words[1]) : nil, "\(rest)")
    }

    /// Runs a program with this bus as the system's, to its end; 90 s at most.
    func run(_ words: [String]) throws -> (code: Int32, output: String) {
        let program = Process()
        let output = Pipe()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["DBUS_SYSTEM_BUS_ADDRESS=\(bus)", "timeout", "--kill-after=1", "90"] + words
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = output
        program.standardError = output
        try program.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        return (program.terminationStatus, text)
    }

    /// Runs a step of the Bleak program, and gives the objects that it printed.
    func bleak(_ step: String, _ addresses: String...) throws -> [[String: Any]] {
        let python = try #require(Ground.python)
        let script = Ground.script("bleak_client.py")
        let end = try run([python, script, step, addresses.joined(separator: ",")])
        try #require(end.code == 0, "\(end.output)")
        return try end.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    /// Runs a command of bluetoothctl, and gives what it printed, without what is for terminals.
    func bluetoothctl(_ words: [String]) throws -> String {
        let end = try run(["bluetoothctl"] + words)
        try #require(end.code == 0, "bluetoothctl \(words): \(end.output)")
        return end.output.replacing(/\u{1B}\[[0-9;]*[A-Za-z]|[\u{1}\u{2}\r]/, with: "")
    }
}
