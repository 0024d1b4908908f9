import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// The discovery session of a scan: its start attempts, late replies, and changes of devices.
struct ScanSessionTests {
    private typealias Objects = ScriptedDaemon.Objects

    private static func stage(_ objects: Objects = .oneDevice) -> (Stage, ScriptedDaemon) {
        let stage = Stage(starting: false)
        return (stage, ScriptedDaemon(on: stage, objects))
    }

    private static func setPower(_ isOn: Bool, _ daemon: ScriptedDaemon) {
        daemon.change(
            Objects.adapterPath, "org.bluez.Adapter1",
            ["Powered": .bool(isOn), "PowerState": .string(isOn ? "on" : "off")])
    }

    @Test(.proves(.S22)) func `A removed device is emitted again when it is received again`() {
        let (stage, daemon) = Self.stage(.adapter)
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery")
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        for count in 1...3 {
            daemon.add(Objects.device)
            daemon.deviceChanges(["RSSI": .int16(-50)])
            stage.advance(0)
            #expect(scan.elements.count == count)
            daemon.remove(Objects.devicePath, "org.bluez.Device1")
            stage.advance(0)
        }
    }

    @Test(.proves(.Q69)) func `Each start attempt sets the filter first`() {
        let (stage, daemon) = Self.stage()
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery") { $0.fail(DBusError(name: "org.bluez.Error.InProgress", message: "Busy")) }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(
            daemon.methods == Array(repeating: ["SetDiscoveryFilter", "StartDiscovery"], count: 3).flatMap { $0 })
        #expect(scan.isLive)
    }

    @Test func `A late reply to a start does not affect a later session`() {
        let (stage, daemon) = Self.stage()
        daemon.always("SetDiscoveryFilter")
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        Self.setPower(false, daemon)
        stage.advance(0)
        #expect(first.kind == .poweredOff)
        Self.setPower(true, daemon)
        let second = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        #expect(daemon.count("StartDiscovery") == 2)
        daemon.take("StartDiscovery").reply()
        stage.advance(0)
        daemon.take("StartDiscovery").fail("org.bluez.Error.Failed", "second")
        stage.advance(0)
        #expect(second.error?.dbusMessage == "second")
        // The late refusal of the third start must not end the fourth scan.
        let third = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        Self.setPower(false, daemon)
        stage.advance(0)
        #expect(third.kind == .poweredOff)
        Self.setPower(true, daemon)
        let fourth = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        daemon.take("StartDiscovery").fail("org.bluez.Error.Failed", "third")
        stage.advance(0)
        #expect(fourth.isLive)
        daemon.take("StartDiscovery").reply()
        daemon.deviceChanges(["RSSI": .int16(-50)])
        stage.advance(0)
        #expect(fourth.elements.count == 1 && fourth.isLive)
    }

    @Test func `A late reply to a stop does not affect a later session`() {
        let (stage, daemon) = Self.stage()
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery")
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        first.dispose()
        stage.advance(0)
        Self.setPower(false, daemon)
        stage.advance(0)
        Self.setPower(true, daemon)
        let second = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        second.dispose()
        stage.advance(0)
        let third = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        #expect(daemon.count("StopDiscovery") == 2 && daemon.count("StartDiscovery") == 2)
        daemon.take("StopDiscovery").reply()
        stage.advance(0)
        // The third scan has not started yet, because the second stop has no reply yet.
        #expect(daemon.count("StartDiscovery") == 2)
        daemon.take("StopDiscovery").reply()
        stage.advance(0)
        #expect(daemon.count("StartDiscovery") == 3)
        #expect(third.isLive)
    }

    @Test(.proves(.Q28)) func `A change of the selected adapter ends a scan; a resuming scan follows it`() {
        let (old, new) = (SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02"))
        let stage = Stage(Scenario(adapters: [old], peripherals: [Sensor.peripheral]), adapter: .named("hci0"))
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(10)
        // Another adapter gets the name hci0 while the first adapter is unplugged.
        stage.simulation.bluez.addAdapter(new, as: 0)
        stage.advance(1_000)
        let options = ScanOptions(allowsDuplicates: true, resumes: true)
        let plain = stage.record(stage.manager.scanForPeripherals())
        let resuming = stage.record(stage.manager.scanForPeripherals(options: options))
        let other = stage.record(stage.manager.using(.address("00:1A:7D:DA:71:02")).scanForPeripherals())
        stage.advance(1_000)
        #expect(resuming.elements.last?.peripheral.adapterName == "hci0")
        stage.simulation.bluez.addAdapter(old, as: 4)
        stage.advance(2_000)
        #expect(plain.kind == .noAdapter)
        #expect(resuming.isLive && resuming.elements.last?.peripheral.adapterName == "hci4")
        #expect(other.isLive)
        #expect(states.isLive)
    }

    @Test(.proves(.Q42)) func `An advertisement resets the restart interval to its first length`() {
        let (stage, daemon) = Self.stage()
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(restartsAfterSilence: .seconds(10))))
        // The scan restarts after 10, 30 and 70 s without an advertisement.
        stage.advance(75_000)
        #expect(daemon.count("StartDiscovery") == 4)
        daemon.deviceChanges(["RSSI": .int16(-50)])
        // The check at 150 s finds the advertisement. From then on, the checks are 10 s apart again.
        stage.advance(80_000)
        #expect(daemon.count("StartDiscovery") == 4)
        stage.advance(10_000)
        #expect(daemon.count("StartDiscovery") == 5)
        stage.advance(20_000)
        #expect(daemon.count("StartDiscovery") == 6)
        #expect(scan.isLive)
    }
}
