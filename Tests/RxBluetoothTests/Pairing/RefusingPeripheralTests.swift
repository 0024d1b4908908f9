import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Errors of a peripheral that refuses to pair, and of links that end for another reason, on each version of BlueZ.
struct RefusingPeripheralTests {
    private static let versions = SimulatedBlueZ.Version.allCases

    /// Returns a stage on which the manager knows a peripheral, with the default delay of a link loss.
    private static func stage(
        _ version: SimulatedBlueZ.Version, _ made: SimulatedPeripheral, _ address: BluetoothAddress,
        deadlines: Deadlines = Deadlines()
    ) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [made])
        scenario.bluez = version
        let stage = Stage(scenario, deadlines: deadlines)
        return (stage, stage.find(address))
    }

    private static func stage(
        _ version: SimulatedBlueZ.Version, deadlines: Deadlines = Deadlines()
    ) -> (Stage, Peripheral) {
        let made = Lock.make(SimulatedPairing(failure: .notSupported), needing: .encryption)
        return stage(version, made, Lock.address, deadlines: deadlines)
    }

    /// An operation on a protected attribute.
    enum Operation: CaseIterable, Sendable {
        case read, write, signals

        fileprivate func begin(_ stage: Stage, _ peripheral: Peripheral) -> Observable<[UInt8]> {
            let secret = stage.characteristic(Lock.secret, of: peripheral)
            let notifying = stage.characteristic(Lock.notifying, of: peripheral)
            return switch self {
            case .read: secret.readValue().asObservable()
            case .write: secret.writeValue([1]).andThen(.empty())
            case .signals: notifying.observeValueUpdates(using: .signals)
            }
        }
    }

    @Test(.proves(.Q121), arguments: versions, Operation.allCases)
    func `The error of a refused pairing says so`(version: SimulatedBlueZ.Version, operation: Operation) {
        let (stage, peripheral) = Self.stage(version)
        let link = stage.connect(peripheral)
        let refused = stage.record(operation.begin(stage, peripheral))
        stage.advance(5_000)
        let error = refused.error
        #expect(error?.isPairingSuspected == true)
        guard version != .v5_66 else {
            // bluetoothd 5.66 ends all operations of a lost link alike.
            #expect(error?.kind == .disconnected(.unknown) && link.kind == error?.kind)
            #expect(error?.advice?.hasPrefix("Connect again") == true)
            #expect(error?.advice?.contains("pair with the peripheral") == true)
            return
        }
        #expect(error?.kind == .disconnected(.authentication) && link.kind == error?.kind)
        #expect(error?.summary.contains("the peripheral refuses pairing") == true)
        #expect(error?.advice?.contains("put it into pairing mode") == true)
        // The cause is not certain, so a reconnection continues.
        if let error { #expect(!Reconnection.isFinal(error)) }
    }

    @Test(.proves(.Q121)) func `Without a delay of a loss, the cause is not certain`() {
        let (stage, peripheral) = Self.stage(.v5_82, deadlines: .prompt)
        let link = stage.connect(peripheral)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(5_000)
        #expect(read.kind == .disconnected(.unknown) && link.kind == read.kind)
        #expect(read.error?.isPairingSuspected == true)
    }

    @Test(.proves(.Q121)) func `If bluetoothd does not answer after the loss, the cause is not certain`() {
        let (stage, daemon, peripheral) = Stage.scripted(deadlines: Deadlines())
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(stage.characteristic(0x2A37, of: peripheral).readValue())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(1_000)
        #expect(read.kind == .disconnected(.unknown) && link.kind == read.kind)
        #expect(read.error?.isPairingSuspected == true)
    }

    @Test(.proves(.Q121), arguments: versions)
    func `A link that ends during an open operation does not advise pairing`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version, Sensor.make(Sensor.text, SimulatedConnection()), Sensor.address)
        let link = stage.connect(peripheral)
        let read = stage.record(stage.characteristic(Sensor.silent, of: peripheral).readValue())
        stage.advance(100)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        #expect(read.kind == .disconnected(version == .v5_87 ? .remote : .unknown) && link.kind == read.kind)
        // bluetoothd 5.66 does not show the difference to an operation that needs pairing.
        #expect(read.error?.isPairingSuspected == (version == .v5_66))
        #expect(read.error?.advice?.contains("pair") == (version == .v5_66))
        #expect(read.error?.advice?.contains("nearer") == true)
    }

    @Test(.proves(.Q121), arguments: versions, [NotificationTransport.signals, .socket])
    func `A link lost while notifications are turned on does not advise pairing`(
        version: SimulatedBlueZ.Version, transport: NotificationTransport
    ) {
        let slow = SimulatedConnection(roundTrip: .seconds(2))
        let (stage, peripheral) = Self.stage(version, Sensor.make(Sensor.text, slow), Sensor.address)
        let link = stage.connect(peripheral)
        // bluetoothd has read the battery level then, so that it does not pair for it.
        stage.advance(5_000)
        let values = stage.record(
            stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates(using: transport))
        stage.advance(1_000)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        #expect(values.kind == .disconnected(version == .v5_87 ? .remote : .unknown) && link.kind == values.kind)
        // Before 5.67, all operations end alike.
        #expect(values.error?.isPairingSuspected == (version == .v5_66))
    }

    @Test(.proves(.Q121), arguments: versions)
    func `A link that ends while no operation runs does not advise pairing`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version, Sensor.make(Sensor.text, SimulatedConnection()), Sensor.address)
        let link = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(1_000)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        for error in [link.error, values.error] {
            #expect(error?.isPairingSuspected == false)
            #expect(error?.advice?.hasPrefix("Connect again") == true)
            #expect(error?.advice?.contains("pair") == false)
        }
    }

    @Test(.proves(.Q96), arguments: versions)
    func `The error of a short encryption key names the key`(version: SimulatedBlueZ.Version) {
        let made = SimulatedPeripheral("Lock", address: Lock.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock", firstAfter: .zero)
            SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read { _ in .error(0x0C) }) }
        }
        let (stage, peripheral) = Self.stage(version, made, Lock.address)
        let link = stage.connect(peripheral)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(read.kind == .needsPairing)
        #expect(read.error?.isBondTooWeak == false)
        #expect(read.error?.summary.contains("the encryption key is too short for the attribute") == true)
        #expect(read.error?.advice?.contains("short key") == true)
        #expect(link.isLive)
    }

    @Test func `An ATT error about the key does not only advise pairing`() {
        let error = BluetoothError(.attError, operation: .read, attCode: 0x0C)
        #expect(error.summary.contains("insufficient encryption key size"))
        #expect(error.advice?.contains("short key") == true)
        let plain = BluetoothError(.attError, operation: .read, attCode: 0x0F)
        #expect(plain.advice == "Pair with the peripheral.")
    }
}
