import Foundation
import Testing

/// A running `ble-cli simulate`.
final class Served {
    private let process: Process
    private let output = Pipe()
    /// Where the simulated bluetoothd is.
    let bus: String

    init(_ scenario: String = "everyday") throws {
        process = try Ground.process([Ground.bleCLI, "simulate", scenario], limit: 120, output: output)
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

    deinit {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Ends it, and gives how many advertisements it says it sent.
    func end() throws -> Int {
        process.terminate()
        let rest = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let words = rest.split(whereSeparator: \.isWhitespace)
        return try #require(words.count == 3 && words[0] == "Sent" ? Int(words[1]) : nil, "\(rest)")
    }

    /// Runs a program with this bus as the system's, to its end; 60 s at most.
    func run(_ words: [String]) throws -> (code: Int32, output: String) {
        let output = Pipe()
        let program = try Ground.process(words, bus: bus, limit: 60, output: output)
        try program.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
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
}
