import Foundation
import Testing

/// A process of `ble-cli simulate`.
final class SimulateProcess: SimulatedSystemBus {
    private let process: Process
    private let output = Pipe()
    /// The address of the bus with the simulated bluetoothd.
    let bus: String

    /// The simulated version of BlueZ, from `RXBLUETOOTH_BLUEZ`. Without it, that of `ble-cli simulate`.
    static let version = ProcessInfo.processInfo.environment["RXBLUETOOTH_BLUEZ"] ?? "5.82"
    /// Whether bluetoothd of this version shows the GAP service, 1800.
    static let showsGAP = version != "5.66"

    /// Starts a scenario with this name, or from a file with this path.
    init(_ scenario: String = "everyday") throws {
        process = try ClientPrograms.process(
            [ClientPrograms.bleCLI, "simulate", scenario, "--bluez", Self.version], limit: 120, output: output)
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
}
