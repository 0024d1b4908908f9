import FoundationEssentials
import Rx
import RxBluetoothMocks
import RxBluetoothSupport
import RxTest
import ScenarioFiles
import Testing

/// Checks that random files are rejected with a reason, or run.
struct ScenarioFileFuzzTests {
    private static let nasty = [
        "0", "-1", "1", "99", "65536", "9223372036854775808", "1e308 s", "nan s", "0 s", "-0 s", "1 ms", "''", "~",
        "[]",
        "{}", "[[]]", "on", "off", "none", "all", "Q2", "Q62", "Q85", "ffff", "00000000-0000-0000-0000-000000000000",
        "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02", "4A:00:00:00:00:03", "\u{FF11}80d", "*", "&a 1", "*a", "\"\\0\"", "|",
        "org.bluez.Error.Failed", "org..x", "2a6e", "2a19", "fff1", "power: on", "daemon: crash", "daemon: start",
        "lose-bus: true", "crash", "stop", "start", "scan", "remove", "first 2", "from 1", "never: true", "twice: true",
    ]

    private func hall() throws -> [Substring] {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let data = try #require(FileManager.default.contents(atPath: root + "/docs/scenarios/hall.yaml"))
        return String(decoding: data, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    /// Actions that are valid in any order and number.
    private static let actions = [
        "strength: X, rssi: -30", "out-of-range: X", "in-range: X", "silence: X", "drop-link: X, reason: local",
        "advertise: X, advertisement: { interval: 70 ms, rssi: -40, name: Other, connectable: no }",
        "reset: X, silence-for: 0 s", "reset: X", "change-services: X, services: []",
        "change-services: X, services: [{ uuid: 180f, characteristics: [{ uuid: 2a19, properties: [notify] }] }]",
        "change-services: X, services: [{ uuid: 1812 }], announced: no", "lose-bond: X", "rotate-address: X",
        "notify: X, characteristic: 2a00, value: 01", "set-value: X, characteristic: 2a05, index: 2, value: ''",
        "power: on", "power: off", "rfkill: on", "rfkill: off", "power: off, adapter: 3", "unplug: 0", "plug: 0",
        "plug: 4",
        "replug: 0", "replug: 0, as: 0, after: 0 s", "replug: 1, as: 0", "daemon: crash", "daemon: stop",
        "daemon: start",
        "daemon: start", "signal: gone-object, about: X", "signal: short-body, about: X, adapter: 2", "rival: scan",
        "rival: connect, with: X", "rival: disconnect, with: X", "rival: remove, with: X", "rival: power-off",
        "rival: power-on", "lose-bus: yes", "open-channel: X, psm: 128", "open-channel: X, psm: 1, value: 00",
    ]
    private static let methods = ["Connect", "StartDiscovery", "StopDiscovery", "Device1.Disconnect", "*", "Pair"]

    private func action(_ dice: inout SplitMix64) -> String {
        let address =
            "\(["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02", "4A:00:00:00:00:03"][Int.random(in: 0..<3, using: &dice)])"
        return (Self.actions.randomElement(using: &dice) ?? "").replacing("X", with: address)
    }

    /// Returns the file with more events and faults, and sometimes with a few changed words.
    private func changed(_ lines: [Substring], _ dice: inout SplitMix64) -> String {
        var lines = lines.map(String.init)
        for _ in 0..<Int.random(in: 1...8, using: &dice) {
            let time = Int.random(in: 0...60_000, using: &dice)
            lines.append("  - { at: \(time) ms, \(action(&dice)) }")
        }
        if let faults = lines.firstIndex(of: "faults:") {
            for method in Self.methods.filter({ _ in Bool.random(using: &dice) }) {
                let delay = Int.random(in: 0...300, using: &dice)
                lines.insert(
                    "  - { method: \"\(method)\", meanwhile: { \(action(&dice)) }, after: \(delay) ms }", at: faults + 1
                )
            }
        }
        let quirk = Quirk.allCases.randomElement(using: &dice) ?? .Q2
        lines = lines.map { $0.hasPrefix("quirks:") ? "quirks: [Q\(quirk.rawValue), Q85]" : $0 }
        for _ in 0..<max(0, Int.random(in: -3...2, using: &dice)) {
            let place = Int.random(in: 0..<lines.count, using: &dice)
            let words = lines[place].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard let one = words.indices.filter({ !words[$0].isEmpty }).randomElement(using: &dice),
                let new = Self.nasty.randomElement(using: &dice)
            else { continue }
            let end = words[one].hasSuffix(",") ? "," : words[one].hasSuffix("]") ? "]" : ""
            lines[place] = (words[..<one] + [new + end] + words[(one + 1)...]).joined(separator: " ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test(arguments: 0..<8)
    func `An accepted file runs, and a rejected one has a reason`(_ seed: Int) throws {
        let lines = try hall()
        var dice = SplitMix64(seed: UInt64(seed) * 7919 + 1)
        var accepted = 0
        for _ in 0..<60 {
            let text = changed(lines, &dice)
            do throws(ScenarioFileError) {
                let scenario = try ScenarioFile.read(text)
                accepted += 1
                let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
                let simulation = Simulation(scenario, scheduler: scheduler)
                let client = simulation.bluez.competingClient()
                client.startDiscovery()
                scheduler.advanceTo(1_000)
                for address in scenario.peripherals.map(\.address) { client.connect(address) }
                scheduler.advanceTo(130_000)
            } catch {
                #expect(!error.problem.isEmpty && !error.expected.isEmpty, "\(text)")
            }
        }
        #expect(accepted > 5)
    }
}
