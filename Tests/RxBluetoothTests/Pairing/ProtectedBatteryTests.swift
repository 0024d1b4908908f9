import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Links to a peripheral with a battery level that bluetoothd reads by itself, and for which it may have to pair.
struct ProtectedBatteryTests {
    private static let versions = SimulatedBlueZ.Version.allCases
    private static let address: BluetoothAddress = "C0:FF:EE:00:00:51"
    private static let text = "C0:FF:EE:00:00:51"
    private static let open: BluetoothUUID = 0xFFE9
    private static let refusing: BluetoothUUID = 0xFFEA
    private static let refused = SimulatedPairing(delay: .seconds(2), failure: .notSupported)
    private static let protected = SimulatedCharacteristic("2a19", .read([75]), .notify, protection: .encryption)

    /// Returns a stage on which the manager knows a peripheral, with the default delay of a link loss.
    private static func stage(
        _ version: SimulatedBlueZ.Version = .v5_82, _ level: SimulatedCharacteristic = protected,
        pairing: SimulatedPairing = refused
    ) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Finder", address: text) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Finder", firstAfter: .zero)
                pairing
                SimulatedService("180f") { level }
                SimulatedService("ffe8") {
                    SimulatedCharacteristic("ffe9", .read([1]), .write, .writeWithoutResponse, .notify)
                    SimulatedCharacteristic("ffea", .write { _ in .error(0x80) })
                }
            }
        ])
        scenario.bluez = version
        let stage = Stage(scenario, deadlines: Deadlines())
        return (stage, stage.find(address))
    }

    private static func expectSuspicion(_ error: BluetoothError?, on version: SimulatedBlueZ.Version) {
        #expect(error?.kind == .disconnected(version == .v5_87 ? .local : .unknown))
        #expect(error?.isPairingSuspected == true && error?.isLinkShared == false)
        #expect(error?.summary.contains("possibly because the battery level") == true)
        #expect(error?.advice?.hasPrefix("Put the peripheral into pairing mode") == true)
    }

    /// An operation on an open attribute, which waits behind bluetoothd's reading of the battery level.
    enum Operation: CaseIterable, Sendable {
        case read, write, signals, socket

        fileprivate func begin(_ stage: Stage, _ peripheral: Peripheral) -> Recording<[UInt8]> {
            let value = stage.characteristic(ProtectedBatteryTests.open, of: peripheral)
            return switch self {
            case .read: stage.record(value.readValue())
            case .write: stage.record(value.writeValue([1]).andThen(Observable<[UInt8]>.empty()))
            case .signals: stage.record(value.observeValueUpdates(using: .signals))
            case .socket: stage.record(value.observeValueUpdates(using: .socket))
            }
        }
    }

    @Test(.proves(.Q121), arguments: versions, Operation.allCases)
    func `A link that ends while the level is read names the level and pairing`(
        version: SimulatedBlueZ.Version, operation: Operation
    ) {
        let (stage, peripheral) = Self.stage(version)
        let link = stage.connect(peripheral)
        let failed = operation.begin(stage, peripheral)
        stage.advance(5_000)
        for error in [failed.error, link.error] {
            Self.expectSuspicion(error, on: version)
            #expect(error?.advice?.hasSuffix("then pair it.") == true)
            // The cause is not certain, so a reconnection continues.
            if let error { #expect(!Reconnection.isFinal(error)) }
        }
    }

    @Test(.proves(.Q121), arguments: versions)
    func `A later link that ends before service discovery names the level`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version)
        Self.expectSuspicion(stage.connectUntilLost(peripheral).error, on: version)
        stage.simulation.bluez.setConnection(SimulatedConnection(discovery: .seconds(10)), of: Self.text)
        let second = stage.record(peripheral.connect())
        stage.advance(6_000)
        Self.expectSuspicion(second.error, on: version)
        let paired = stage.record(peripheral.pair())
        stage.advance(6_000)
        Self.expectSuspicion(paired.error, on: version)
        #expect(paired.error?.operation == .pair && paired.error?.advice?.hasSuffix("try again.") == true)
        #expect(stage.count("Pair") == 0)
    }

    /// - Parameter pause: The time between the link and the first operation, in milliseconds.
    @Test(.proves(.Q121), arguments: versions, [0, 5_000])
    func `A refused pairing may be that of the level, also for the following operations`(
        version: SimulatedBlueZ.Version, pause: Int
    ) {
        let (stage, peripheral) = Self.stage(version, pairing: SimulatedPairing())
        let link = stage.connect(peripheral)
        stage.advance(pause)
        let failed = Operation.read.begin(stage, peripheral)
        stage.advance(500)
        #expect(failed.kind == .needsPairing && failed.error?.isPairingSuspected == false)
        let cause = "for this attribute, or for the battery level or another value that bluetoothd reads by itself"
        #expect(failed.error?.summary.contains(cause) == true, "\(failed.error?.summary ?? "")")
        let next = Operation.write.begin(stage, peripheral)
        stage.advance(100)
        #expect(next.kind == .connectionStalled && next.error?.detail?.contains(cause) == true)
        #expect(link.error == nil)
    }

    /// An observation that shows that bluetoothd does not pair for the level, or no longer does.
    enum Evidence: CaseIterable, Sendable {
        case level, readOnlyLevel, attError, read, write, signals, time

        fileprivate func happen(_ stage: Stage, _ peripheral: Peripheral) {
            switch self {
            case .level, .readOnlyLevel: stage.advance(1_000)
            case .read: expectDone(Operation.read.begin(stage, peripheral), stage)
            case .attError:
                let refused = stage.record(
                    stage.characteristic(ProtectedBatteryTests.refusing, of: peripheral).writeValue([1]))
                stage.advance(500)
                #expect(refused.kind == .attError)
            case .write: expectDone(Operation.write.begin(stage, peripheral), stage)
            case .signals:
                let values = Operation.signals.begin(stage, peripheral)
                stage.advance(500)
                values.dispose()
                stage.advance(500)
            case .time: stage.advance(61_000)
            }
        }

        private func expectDone(_ operation: Recording<[UInt8]>, _ stage: Stage) {
            stage.advance(500)
            #expect(operation.isCompleted)
        }
    }

    @Test(.proves(.Q121), arguments: versions, Evidence.allCases)
    func `A link that ends for another reason does not name the level`(
        version: SimulatedBlueZ.Version, evidence: Evidence
    ) {
        // bluetoothd does not report a level that it cannot read.
        let level =
            evidence == .level || evidence == .readOnlyLevel
            ? SimulatedAnswer.value([75]) : SimulatedAnswer.error(0x02)
        let battery =
            evidence == .readOnlyLevel
            ? SimulatedCharacteristic("2a19", .read { _ in level })
            : SimulatedCharacteristic("2a19", .read { _ in level }, .notify)
        let (stage, peripheral) = Self.stage(version, battery)
        let link = stage.connect(peripheral)
        evidence.happen(stage, peripheral)
        stage.simulation.bluez.dropLink(to: Self.text)
        stage.advance(1_000)
        #expect(link.kind == .disconnected(version == .v5_87 ? .remote : .unknown))
        #expect(link.error?.isPairingSuspected == false)
        #expect(link.error?.description.contains("battery") == false)
    }

    @Test(.proves(.Q121)) func `Without evidence, a level that may still be read is named as possible`() {
        let (stage, peripheral) = Self.stage(
            .v5_82, SimulatedCharacteristic("2a19", .read { _ in .error(0x02) }, .notify))
        let link = stage.connect(peripheral)
        // bluetoothd answers this write before the peripheral does, so it proves nothing.
        let written = stage.record(
            stage.characteristic(Self.open, of: peripheral).writeValue([1], type: .withoutResponse))
        stage.advance(100)
        #expect(written.isCompleted)
        stage.simulation.bluez.dropLink(to: Self.text)
        stage.advance(1_000)
        Self.expectSuspicion(link.error, on: .v5_82)
    }

    @Test(.proves(.Q74, .Q121)) func `A shared link that ends names no battery level`() {
        let (stage, peripheral) = Self.stage(
            .v5_82, SimulatedCharacteristic("2a19", .read { _ in .error(0x02) }, .notify))
        stage.simulation.bluez.competingClient().connect(Self.text)
        stage.advance(1_000)
        let link = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Self.text)
        stage.advance(1_000)
        #expect(link.error?.isLinkShared == true && link.error?.isPairingSuspected == false)
        #expect(link.error?.description.contains("battery") == false)
    }
}

extension Stage {
    /// Connects, waits until the link is lost, and returns the recorded connection.
    fileprivate func connectUntilLost(_ peripheral: Peripheral) -> Recording<Peripheral> {
        let link = connect(peripheral)
        advance(5_000)
        return link
    }
}
