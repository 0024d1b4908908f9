import DBus
import RxBluetoothMocks
import RxTest
import Synchronization

/// A simulation with a D-Bus client that receives every signal.
struct SignalClient {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation
    private let connections: Int

    init(_ scenario: Scenario, connecting connections: Int) {
        simulation = Simulation(scenario, scheduler: scheduler)
        self.connections = connections
    }

    func run(_ seconds: Int) -> Outcome {
        let clock = ContinuousClock()
        var outcome = Outcome()
        let bus = simulation.connect()
        let signalHash = SignalHash()
        let scheduler = scheduler
        _ = bus.subscribe(MatchRule(sender: "org.bluez")) { signalHash.count($0, at: scheduler.clock) }
        outcome.time = clock.measure {
            call(
                bus, "/org/bluez/hci0", "Adapter1", "SetDiscoveryFilter", [.properties(["DuplicateData": .bool(true)])])
            call(bus, "/org/bluez/hci0", "Adapter1", "StartDiscovery")
            scheduler.advanceTo(1_000)
            for number in 0..<connections {
                let device =
                    "/org/bluez/hci0/dev_" + Scenario.address(number).split(separator: ":").joined(separator: "_")
                call(bus, device, "Device1", "Connect")
                scheduler.advanceBy(500)
                call(bus, device + "/service000a/char000b", "GattCharacteristic1", "StartNotify")
            }
            scheduler.advanceTo(max(seconds * 1_000, scheduler.clock))
        }
        (outcome.signals, outcome.hash) = signalHash.result
        bus.close()
        return outcome
    }

    private func call(_ bus: any Bus, _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = [])
    {
        guard let path = ObjectPath(path),
            let message = try? Message.call(
                to: "org.bluez", path: path, interface: "org.bluez." + interface, member: member,
                { (body) throws(DBusError) in
                    for argument in arguments { try body.value(argument) }
                })
        else { preconditionFailure("The call of \(path) \(member) is invalid.") }
        bus.call(message, timeout: .seconds(60)) { answer in
            if case .failure(let error) = answer { preconditionFailure("\(path) \(member): \(error)") }
        }
    }
}

/// The result of a run.
struct Outcome: CustomStringConvertible {
    var time = Duration.zero
    var signals = 0
    var hash: UInt64 = 0

    var description: String {
        "\(signals) signals in \(time.formatted) s, hash \(String(hash, radix: 16))"
    }
}

extension Duration {
    /// The duration in seconds with two decimals.
    fileprivate var formatted: String {
        let hundredths = Int(self / .milliseconds(10))
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}

/// Counts signals, and hashes their times, objects and contents (FNV-1a).
final class SignalHash: Sendable {
    private let state = Mutex((count: 0, hash: UInt64(0xCBF2_9CE4_8422_2325)))

    var result: (Int, UInt64) { state.withLock { ($0.count, $0.hash) } }

    func count(_ signal: Message, at time: Int) {
        var path = UInt64(0)
        signal.withPath { bytes in
            for place in bytes.indices { path = (path ^ UInt64(bytes[place])) &* 0x100_0000_01B3 }
        }
        // Hashes the RSSI as the content: most signals begin with an interface and a dictionary with the RSSI.
        var content = UInt64(0)
        try? signal.read { (body) throws(DBusError) in
            body.skip()
            try body.dictionary { (entry) throws(DBusError) in
                entry.skip()
                content = UInt64(
                    bitPattern: Int64(try entry.variant { (value) throws(DBusError) in try value.int16() }))
            }
        }
        state.withLock {
            $0.count += 1
            for number in [path, UInt64(time), content] { $0.hash = ($0.hash ^ number) &* 0x100_0000_01B3 }
        }
    }
}
