import DBus
import RxBluetooth
import RxBluetoothMocks
import Testing

/// A simulated lock, with a configurable pairing and a value that can be protected.
enum Lock {
    static let address: BluetoothAddress = "C0:FF:EE:00:00:31"
    static let text = "C0:FF:EE:00:00:31"
    static let path = "/org/bluez/hci0/dev_C0_FF_EE_00_00_31"
    static let other: BluetoothAddress = "C0:FF:EE:00:00:32"
    static let secret: BluetoothUUID = 0xFFF1
    static let notifying: BluetoothUUID = 0xFFF2

    static func make(
        _ pairing: SimulatedPairing, needing protection: SimulatedProtection = .none,
        address: BluetoothAddress = address
    ) -> SimulatedPeripheral {
        SimulatedPeripheral("Lock", address: address.description) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock", firstAfter: .zero)
            pairing
            SimulatedService("fff0") {
                SimulatedCharacteristic("fff1", .read([7]), .write, protection: protection)
                SimulatedCharacteristic("fff2", .read([8]), .notify, protection: protection)
            }
        }
    }
}

extension Stage {
    /// Makes a stage (a manager and a simulation) with the lock in range and known, without recorded calls.
    static func withLock(
        _ pairing: SimulatedPairing = SimulatedPairing(), needing protection: SimulatedProtection = .none,
        policy: PairingPolicy = PairingPolicy(), deadlines: Deadlines = .prompt,
        without features: Set<SimulatedFeature> = []
    ) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [
            Lock.make(pairing, needing: protection), Lock.make(pairing, needing: protection, address: Lock.other),
        ])
        scenario.disabledFeatures = features
        let stage = Stage(scenario, deadlines: deadlines, pairing: policy)
        return (stage, stage.find(Lock.address))
    }

    /// Returns the calls with these names in order, in the form `RegisterAgent("/a", "b")`.
    func calls(_ members: String...) -> [String] {
        simulation.calls.filter { members.contains($0.member) }.map {
            $0.withArguments.split(separator: ".").last.map(String.init) ?? ""
        }
    }
}

/// A simulated user: records the pairing requests of a manager, so that a test can answer them.
final class Person {
    private let requests: Recording<PairingRequest>
    private let stage: Stage

    init(_ stage: Stage) {
        self.stage = stage
        requests = stage.record(stage.manager.pairingRequests)
        stage.advance(0)
    }

    var questions: [PairingRequest.Question] { requests.elements.map(\.question) }
    var last: PairingRequest? { requests.elements.last }
    var error: BluetoothError? { requests.error }
    var isThere: Bool { requests.isLive }

    func leaves() { requests.dispose() }
}
