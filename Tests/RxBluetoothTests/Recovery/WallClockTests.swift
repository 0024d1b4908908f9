import DBus
import FoundationEssentials
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Operations during which the wall clock changes by an hour. Only time stamps may change.
struct WallClockTests {
    private static let hours: [Double] = [-3_600, 3_600]
    private static let there: [String: Value] = ["Connected": .bool(true), "ServicesResolved": .bool(true)]
    private static let linked = ScriptedDaemon.Objects.oneKnownDevice.setting(
        ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", there)

    @Test(.proves(.Q95), arguments: hours)
    func `A wall clock change does not affect how long a read withholds notifications`(seconds: Double) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.notifies([1])
        stage.advance(100)
        stage.wallClock.setWallClock(by: seconds)
        daemon.notifies([2])
        stage.advance(150)
        #expect(values.elements == [[1]])
        stage.advance(50)
        daemon.take("ReadValue").reply { $0.bytes([2]) }
        stage.advance(1_000)
        #expect(values.elements == [[1]])
        #expect(read.elements == [[2]])
        withExtendedLifetime(link) {}
    }

    @Test(arguments: [(-3_600.0, 12_000, true), (3_600, 1_000, false)])
    func `A link counts as stable by monotonic time`(seconds: Double, milliseconds: Int, isLive: Bool) {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0, attempts: 2))))
        for _ in 0..<2 {
            stage.advance(milliseconds + 1_000)
            stage.wallClock.setWallClock(by: seconds)
            stage.simulation.bluez.dropLink(to: Sensor.text)
            stage.advance(1_000)
        }
        #expect(link.isLive == isLive)
    }

    @Test(arguments: hours)
    func `The reconnection limit ignores wall clock changes`(seconds: Double) {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(within: .seconds(20))))
        stage.advance(5_000)
        stage.simulation.bluez.setPower(false)
        stage.advance(10_000)
        stage.wallClock.setWallClock(by: seconds)
        stage.advance(9_900)
        #expect(link.isLive)
        stage.advance(200)
        #expect(link.kind == .disconnected(.adapter))
    }

    @Test(.proves(.Q2, .Q74), arguments: hours)
    func `A link that a crashed bluetoothd left stays ours for 5 s of monotonic time`(seconds: Double) {
        for isLate in [false, true] {
            let (stage, daemon, peripheral) = Stage.scripted()
            let adapter = ScriptedDaemon.Objects.adapterPath
            let link = stage.record(peripheral.connect(options: .reconnect()))
            stage.advance(0)
            daemon.deviceChanges(Self.there)
            daemon.take("Connect").reply()
            stage.advance(1_500)
            daemon.crash()
            stage.advance(1_000)
            // bluetoothd restarts with the adapter switched off, so the reconnection makes no attempt yet.
            daemon.tell(
                ScriptedDaemon.value(Self.linked.setting(adapter, "org.bluez.Adapter1", ["Powered": .bool(false)])))
            daemon.start()
            stage.advance(isLate ? 6_000 : 1_000)
            stage.wallClock.setWallClock(by: seconds)
            daemon.change(adapter, "org.bluez.Adapter1", ["Powered": .bool(true)])
            stage.advance(2_000)
            daemon.take("Connect").reply()
            stage.advance(2_000)
            #expect(link.isLive)
            link.dispose()
            stage.advance(10)
            #expect(daemon.methods == (isLate ? ["Connect", "Connect"] : ["Connect", "Connect", "Disconnect"]))
        }
    }

    @Test(.proves(.Q38), arguments: hours)
    func `Orphaned discovery is stopped only within 10 s after bluetoothd returns`(seconds: Double) {
        for isLate in [false, true] {
            let controller = StoppingController()
            let stage = Stage(with: [Sensor.peripheral], controller: controller)
            let states = stage.record(stage.manager.state)
            stage.advance(1_000)
            stage.simulation.bluez.crash()
            stage.advance(1_000)
            stage.simulation.bluez.start()
            stage.simulation.bluez.add(
                Fault("Adapter1.StartDiscovery", .error("org.bluez.Error.InProgress", "In progress")))
            stage.advance(isLate ? 11_000 : 2_000)
            stage.wallClock.setWallClock(by: seconds)
            let scan = stage.record(stage.manager.scanForPeripherals())
            stage.advance(2_000)
            #expect(controller.count == (isLate ? 0 : 1))
            #expect(scan.isLive && states.isLive)
        }
    }

    @Test(arguments: hours)
    func `A diagnosis has monotonic ages, and time stamps use the wall clock`(seconds: Double) throws {
        let (stage, peripheral) = Stage.withSensor()
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        let link = stage.record(peripheral.connect(options: .reconnect()))
        let events = stage.record(stage.manager.events)
        stage.advance(5_000)
        let before = try #require(scan.elements.last?.timestamp)
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        stage.wallClock.setWallClock(by: seconds)
        stage.advance(1_000)
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(100)
        let diagnosis = try #require(asked.elements.first)
        let duration = try #require(diagnosis.scans.first?.duration)
        #expect(duration > .milliseconds(6_900) && duration <= .seconds(7))
        let lost = try #require(diagnosis.connections.first?.disconnectedFor)
        #expect(lost >= .milliseconds(2_000) && lost < .milliseconds(2_100))
        #expect((diagnosis.scans.first?.sinceAdvertisement ?? .seconds(9)) < .seconds(1))
        let after = try #require(scan.elements.last?.timestamp)
        #expect(abs(after.timeIntervalSince(before) - seconds - 2) < 1)
        let event = try #require(events.elements.last?.time)
        #expect(abs(event.timeIntervalSince(before) - seconds - 2) < 1)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S21, .Q42), arguments: hours)
    func `Presence and restart silence ignore wall clock changes`(seconds: Double) {
        let stage = Stage(with: [Sensor.peripheral])
        let presence = stage.record(
            stage.manager.observePresence(options: ScanOptions(restartsAfterSilence: .seconds(20))))
        stage.advance(1_000)
        stage.simulation.bluez.setInRange(false, Sensor.text)
        stage.advance(5_000)
        stage.wallClock.setWallClock(by: seconds)
        stage.advance(4_000)
        #expect(presence.elements.count == 1)
        stage.advance(1_500)
        #expect(presence.elements.count == 2)
        stage.advance(20_000)
        #expect(stage.count("StartDiscovery") == 1)
        stage.advance(10_000)
        #expect(stage.count("StartDiscovery") == 2)
    }
}

/// A controller that refuses all requests to stop discovery, and counts them.
private final class StoppingController: HostController {
    private let calls = Guarded(0)

    var count: Int { calls.withLock { $0 } }

    func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) {
        calls.withLock { $0 += 1 }
        done(false)
    }

    func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
    ) { answer(.failure(BluetoothError(.unsupported))) }
}
