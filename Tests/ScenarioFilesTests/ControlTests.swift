import DBus
import Rx
import RxBluetoothMocks
import RxTest
import ScenarioFiles
import Testing

/// Checks that each control has the same effect as a method, as an event in Swift and in a file.
struct ControlTests {
    /// A control in a file and in Swift, and its effect on a client.
    struct Control: Sendable, CustomTestStringConvertible {
        let file: String
        let swift: @Sendable (SimulatedBlueZ) -> Void
        let shows: [String]

        var testDescription: String { file }
    }

    private static let sensor = "C0:FF:EE:00:00:01"
    private static let peripherals = """
        features: [disconnected-signal]
        peripherals:
          - name: Hall
            address: C0:FF:EE:00:00:01
            advertisement: { interval: 100 ms, rssi: -60, name: Hall, services: [181a] }
            services:
              - uuid: 181a
                characteristics:
                  - { uuid: 2a6e, properties: [read, write, notify], value: 2e 09 }
          - name: Tag
            address: 4A:00:00:00:00:02
            advertisement: { interval: 100 ms, rssi: -70, name: Tag }

        """

    private static let controls: [Control] = [
        Control(
            file: "strength: 4A:00:00:00:00:02, rssi: -30", swift: { $0.setStrength(-30, of: "4A:00:00:00:00:02") },
            shows: ["4A_00_00_00_00_02 PropertiesChanged RSSI -30"]),
        Control(
            file: "out-of-range: C0:FF:EE:00:00:01", swift: { $0.setInRange(false, sensor) },
            shows: ["Disconnected org.bluez.Reason.Timeout", "Connected false"]),
        Control(
            file: "silence: 4A:00:00:00:00:02", swift: { $0.advertise(nil, from: "4A:00:00:00:00:02") },
            shows: ["InterfacesRemoved /org/bluez/hci0/dev_4A_00_00_00_00_02"]),
        Control(
            file: "advertise: 4A:00:00:00:00:02, advertisement: { interval: 50 ms, rssi: -40, name: Other }",
            swift: {
                $0.advertise(
                    SimulatedAdvertisement(every: .milliseconds(50), rssi: -40, name: "Other"),
                    from: "4A:00:00:00:00:02")
            }, shows: ["4A_00_00_00_00_02 PropertiesChanged RSSI -40 Name Other"]),
        Control(
            file: "drop-link: C0:FF:EE:00:00:01, reason: authentication",
            swift: { $0.dropLink(to: sensor, reason: .authentication) },
            shows: ["Disconnected org.bluez.Reason.Authentication", "Connected false"]),
        Control(
            file: "reset: C0:FF:EE:00:00:01, silence-for: 3 s", swift: { $0.reset(sensor, silentFor: .seconds(3)) },
            shows: ["Disconnected org.bluez.Reason.Timeout", "Connected false"]),
        Control(
            file: "change-services: C0:FF:EE:00:00:01, services: [{ uuid: fff0 }]",
            swift: { $0.changeServices(of: sensor, to: [SimulatedService("fff0")]) },
            shows: ["ServicesResolved false", "InterfacesAdded /org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a"]),
        Control(
            file: "notify: C0:FF:EE:00:00:01, characteristic: 2a6e, value: 2a",
            swift: { $0.notify([0x2A], from: sensor, "2a6e") }, shows: ["char000b PropertiesChanged Value 42"]),
        Control(
            file: "set-value: C0:FF:EE:00:00:01, characteristic: 2a6e, value: 2b",
            swift: { $0.setValue([0x2B], of: sensor, "2a6e") }, shows: ["char000b PropertiesChanged Value 43"]),
        Control(
            file: "rotate-address: 4A:00:00:00:00:02, to: 4B:00:00:00:00:02",
            swift: { $0.rotateAddress(of: "4A:00:00:00:00:02", to: "4B:00:00:00:00:02") },
            shows: ["InterfacesAdded /org/bluez/hci0/dev_4B_00_00_00_00_02", "InterfacesRemoved"]),
        Control(
            file: "rotate-address: 4A:00:00:00:00:02", swift: { $0.rotateAddress(of: "4A:00:00:00:00:02") },
            shows: ["InterfacesAdded /org/bluez/hci0/dev_", "InterfacesRemoved"]),
        Control(file: "power: off", swift: { $0.setPower(false) }, shows: ["Powered false"]),
        Control(file: "rfkill: on", swift: { $0.setBlocked(true) }, shows: ["PowerState off-blocked"]),
        Control(file: "unplug: 0", swift: { $0.removeAdapter() }, shows: ["InterfacesRemoved /org/bluez/hci0 "]),
        Control(
            file: "replug: 0, as: 7, after: 500 ms", swift: { $0.replugAdapter(as: 7, after: .milliseconds(500)) },
            shows: ["InterfacesRemoved /org/bluez/hci0 ", "InterfacesAdded /org/bluez/hci7 "]),
        Control(file: "daemon: crash", swift: { $0.crash() }, shows: ["owner none"]),
        Control(
            file: "daemon: stop", swift: { $0.stop() }, shows: ["InterfacesRemoved /org/bluez/hci0 ", "owner none"]),
        Control(file: "lose-bus: true", swift: { $0.loseBus() }, shows: ["lost"]),
        Control(
            file: "signal: wrong-type, about: C0:FF:EE:00:00:01", swift: { $0.send(.wrongType, about: sensor) },
            shows: ["PropertiesChanged RSSI strong"]),
        Control(
            file: "rival: disconnect, with: C0:FF:EE:00:00:01", swift: { $0.competingClient().disconnect(sensor) },
            shows: ["Disconnected org.bluez.Reason.Local", "Connected false"]),
        Control(
            file: "rival: power-off", swift: { $0.competingClient().setPower(false) }, shows: ["Powered false"]),
    ]

    @Test(arguments: controls)
    func `A control has the same effect in a file, in a script and as a call`(_ control: Control) throws {
        let plain = try ScenarioFile.read(Self.peripherals)
        let fromFile = try ScenarioFile.read(Self.peripherals + "events: [{ at: 2 s, \(control.file) }]\n")
        var fromSwift = plain
        fromSwift.script = [at(.seconds(2), control.swift)]

        let nothing = Self.events(plain)
        let file = Self.events(fromFile)
        let script = Self.events(fromSwift)
        let byHand = Self.events(plain, atTwoSeconds: control.swift)
        #expect(file == script)
        #expect(script == byHand)
        #expect(file != nothing)
        let after = file.filter { ($0.split(separator: " ").first.flatMap { Int($0) } ?? 0) >= 2_000 }
        var rest = after[...]
        for part in control.shows {
            let place = rest.firstIndex { $0.contains(part) }
            #expect(place != nil, "\(part) is not in \(after.prefix(40))")
            if let place { rest = rest[(place + 1)...] }
        }
    }

    /// Returns the events that a client sees while it scans, connects, subscribes, and reads once at 3 s.
    ///
    /// `event` runs at 2 s.
    private static func events(
        _ scenario: Scenario, atTwoSeconds event: @escaping @Sendable (SimulatedBlueZ) -> Void = { _ in }
    ) -> [String] {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Simulation(scenario, scheduler: scheduler)
        let bus = simulation.connect()
        let lines = Guarded<[String]>([])
        @Sendable func note(_ line: String) { lines.withLock { $0.append("\(scheduler.clock) \(line)") } }
        _ = bus.subscribe(MatchRule(sender: "org.bluez")) { signal in
            let values = (try? signal.read { (body) throws(DBusError) in try body.values() }) ?? []
            let words = values.dropFirst(signal.member == "PropertiesChanged" ? 1 : 0).map(\.words)
            note("\(signal.path?.description ?? "") \(signal.member ?? "") " + words.joined(separator: " "))
        }
        _ = bus.watchOwner(of: "org.bluez") { note("owner \($0 ?? "none")") }
        _ = bus.whenDisconnected { _ in note("lost") }
        func call(_ path: String, _ method: String, _ arguments: Value...) {
            let parts = method.split(separator: ".").map(String.init)
            let message = ObjectPath(path).flatMap { path in
                try? Message.call(to: "org.bluez", path: path, interface: "org.bluez." + parts[0], member: parts[1]) {
                    (body) throws(DBusError) in
                    for argument in arguments { try body.value(argument) }
                }
            }
            guard let message else { return }
            _ = bus.call(message, timeout: .seconds(60)) { _ in }
        }
        let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
        let value = device + "/service000a/char000b"
        call("/org/bluez/hci0", "Adapter1.SetDiscoveryFilter", .properties(["DuplicateData": .bool(true)]))
        call("/org/bluez/hci0", "Adapter1.StartDiscovery")
        scheduler.advanceTo(500)
        call(device, "Device1.Connect")
        scheduler.advanceTo(1_000)
        call(value, "GattCharacteristic1.StartNotify")
        scheduler.advanceTo(2_000)
        event(simulation.bluez)
        scheduler.advanceTo(3_000)
        call(value, "GattCharacteristic1.ReadValue", .properties([:]))
        scheduler.advanceTo(40_000)
        return lines.withLock { $0 }
    }
}

extension Value {
    /// The value as words without punctuation.
    fileprivate var words: String {
        switch self {
        case .bool(let value): "\(value)"
        case .byte(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .string(let value): value
        case .objectPath(let path): path.description
        case .bytes(let bytes): bytes.map { "\($0)" }.joined(separator: " ")
        case .array(_, let values): values.map(\.words).joined(separator: " ")
        case .dictionary(_, _, let entries):
            entries.map { "\($0.key.words) \($0.value.words)" }.joined(separator: " ")
        case .variant(let value): value.words
        default: "\(self)"
        }
    }
}
