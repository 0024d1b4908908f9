import Foundation
import Testing

/// A process of `ble-cli simulate`.
final class SimulateProcess {
    private let process: Process
    private let output = Pipe()
    /// The address of the bus with the simulated bluetoothd.
    let bus: String

    /// Starts a scenario with this name, or from a file with this path.
    init(_ scenario: String = "everyday") throws {
        process = try ClientPrograms.process([ClientPrograms.bleCLI, "simulate", scenario], limit: 120, output: output)
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

    /// Returns the processor time of the simulation and its bus so far, in steps of 10 ms. Source: proc(5).
    func processorTime() throws -> Duration {
        try Self.tree(process.processIdentifier).reduce(.zero) { sum, process in
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // Skips to the last bracket, because the program name in brackets can contain spaces. Fields 14 and 15 are
            // times in hundredths of a second.
            let numbers = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst(12)
            return sum + numbers.prefix(2).reduce(.zero) { $0 + .milliseconds(10) * (Int($1) ?? 0) }
        }
    }

    /// Returns the ids of a process and all its descendants.
    private static func tree(_ process: Int32) throws -> [Int32] {
        let children = try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return try [process] + children.split(separator: " ").compactMap { Int32($0) }.flatMap(tree)
    }

    /// Terminates the simulation. Returns the numbers of advertisements sent, and missed by being too slow.
    func end() throws -> (sent: Int, missed: Int) {
        process.terminate()
        let rest = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let words = try #require(rest.wholeMatch(of: /Sent (\d+) advertisements(?:\.|; (\d+) more .*)\n/), "\(rest)")
        return (Int(words.1) ?? 0, words.2.flatMap { Int($0) } ?? 0)
    }

    /// Runs a program with this bus as the system bus until it exits, for at most 60 s.
    func run(_ words: [String]) throws -> (code: Int32, output: String) {
        let output = Pipe()
        let program = try ClientPrograms.process(words, bus: bus, limit: 60, output: output)
        try program.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        program.waitUntilExit()
        return (program.terminationStatus, text)
    }

    /// Runs a step of the Bleak program, and returns the objects that it printed.
    func bleak(_ step: String, _ addresses: String...) throws -> [[String: Any]] {
        try python("bleak_client.py", step, addresses.joined(separator: ","))
    }

    /// Runs one of the Python programs, and returns the objects that it printed.
    ///
    /// - Parameter usesDebianPython: Whether to use Debian's Python, which has the modules of Debian packages.
    func python(_ script: String, usesDebianPython: Bool = false, _ words: String...) throws -> [[String: Any]] {
        let python = usesDebianPython ? "/usr/bin/python3" : try #require(ClientPrograms.python)
        let end = try run([python, ClientPrograms.file(script)] + words)
        try #require(end.code == 0, "\(end.output)")
        return try end.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }
}
