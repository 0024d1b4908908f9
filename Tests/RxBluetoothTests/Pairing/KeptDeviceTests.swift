import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Devices that bluetoothd keeps although it has answered `RemoveDevice`.
struct KeptDeviceTests {
    private static let path = ScriptedDaemon.Objects.devicePath

    private static func remove(_ daemon: ScriptedDaemon) { daemon.remove(path, "org.bluez.Device1") }

    @Test(.proves(.Q138), arguments: SimulatedBlueZ.Version.allCases)
    func `After an interrupted discovery, forget removes the device and its bond`(
        version: SimulatedBlueZ.Version
    ) {
        var scenario = Scenario(peripherals: [Lock.make(SimulatedPairing())])
        scenario.bluez = version
        let stage = Stage(scenario)
        let peripheral = stage.find(Lock.address)
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted)
        stage.simulation.bluez.setConnection(SimulatedConnection(discovery: .seconds(2)), of: Lock.text)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(stage.count("Connect") == 2 && link.error == nil)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(2_000)
        #expect(link.error != nil)
        stage.simulation.bluez.setConnection(SimulatedConnection(), of: Lock.text)
        let bonded = stage.record(peripheral.isBonded)
        let forgotten = stage.record(peripheral.forget())
        stage.advance(1_000)
        #expect(forgotten.isCompleted)
        #expect(bonded.elements == [true, false])
        #expect(stage.count("RemoveDevice") == (version == .v5_66 ? 1 : 2))
        let again = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(again.isCompleted && stage.count("Pair") == 2)
    }

    @Test(.proves(.Q138)) func `A removal that follows its answer needs no second call`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let forgotten = stage.record(peripheral.forget())
        stage.advance(0)
        daemon.take("RemoveDevice").reply()
        stage.advance(50)
        #expect(forgotten.isLive)
        Self.remove(daemon)
        stage.advance(0)
        #expect(forgotten.isCompleted)
        stage.advance(1_000)
        #expect(daemon.count("RemoveDevice") == 1)
    }

    @Test(.proves(.Q60, .Q138)) func `A removed device that is found again at once counts as removed`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let forgotten = stage.record(peripheral.forget())
        stage.advance(0)
        Self.remove(daemon)
        daemon.add(.device)
        daemon.take("RemoveDevice").reply()
        stage.advance(0)
        #expect(forgotten.isCompleted)
        #expect(daemon.count("RemoveDevice") == 1)
    }

    @Test(.proves(.Q138)) func `A device that bluetoothd never removes fails with advice`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        daemon.always("RemoveDevice")
        let forgotten = stage.record(peripheral.forget())
        stage.advance(1_499)
        #expect(forgotten.isLive && daemon.count("RemoveDevice") == 4)
        stage.advance(1)
        #expect(forgotten.kind == .busy && forgotten.error?.operation == .forget)
        #expect(daemon.count("RemoveDevice") == 5)
        #expect(forgotten.error?.description.contains("bluetoothd has not removed the device") == true)
        #expect(forgotten.error?.advice?.contains("restart bluetoothd") == true)
    }

    @Test(.proves(.Q138)) func `The deadline limits all calls of a removal together`() {
        var deadlines = Deadlines.prompt
        deadlines.operation = .milliseconds(500)
        let (stage, daemon, peripheral) = Stage.scripted(deadlines: deadlines)
        let forgotten = stage.record(peripheral.forget())
        stage.advance(0)
        daemon.take("RemoveDevice").reply()
        stage.advance(499)
        #expect(forgotten.isLive && daemon.count("RemoveDevice") == 2)
        stage.advance(1)
        #expect(forgotten.kind == .timedOut)
    }

    @Test(.proves(.Q2, .Q138)) func `If bluetoothd ends before the second call, forget fails`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let forgotten = stage.record(peripheral.forget())
        stage.advance(0)
        daemon.take("RemoveDevice").reply()
        stage.advance(50)
        daemon.crash()
        stage.advance(50)
        #expect(forgotten.kind == .daemonUnavailable && forgotten.error?.operation == .forget)
    }

    @Test(.proves(.Q138)) func `Closing the manager waits until a begun removal is finished`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let forgotten = stage.record(peripheral.forget())
        stage.advance(0)
        daemon.take("RemoveDevice").reply()
        stage.advance(50)
        let closed = stage.record(stage.manager.close())
        stage.advance(50)
        #expect(closed.isLive && daemon.count("RemoveDevice") == 2)
        Self.remove(daemon)
        daemon.take("RemoveDevice").reply()
        stage.advance(100)
        #expect(closed.isCompleted && !forgotten.isLive)
    }
}
