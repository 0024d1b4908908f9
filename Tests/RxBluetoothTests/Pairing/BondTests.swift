import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Observing, losing, trusting and forgetting the bond with a device.
struct BondTests {
    @Test(.covers(.bondState)) func `isPaired and isBonded emit the current value, then each change`() {
        let (stage, peripheral) = Stage.withLock()
        let (paired, bonded) = (stage.record(peripheral.isPaired), stage.record(peripheral.isBonded))
        stage.advance(0)
        #expect(paired.elements == [false])
        #expect(bonded.elements == [false])
        let pairing = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(pairing.isCompleted)
        #expect(paired.elements == [false, true])
        #expect(bonded.elements == [false, true])
        let late = stage.record(peripheral.isPaired)
        stage.advance(0)
        #expect(late.elements == [true])
        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        #expect(paired.elements == [false, true, false])
        #expect(late.elements == [true, false])
        #expect(paired.isLive)
    }

    @Test(.proves(.Q2)) func `The bond state waits for bluetoothd and is not repeated if unchanged`() {
        let (stage, peripheral) = Stage.withLock()
        let pairing = stage.record(peripheral.pair())
        let bonded = stage.record(peripheral.isBonded)
        stage.advance(5_000)
        #expect(pairing.isCompleted)
        stage.simulation.bluez.crash()
        stage.advance(10)
        let early = stage.record(peripheral.isBonded)
        stage.advance(10)
        #expect(early.elements.isEmpty)
        stage.simulation.bluez.start()
        stage.advance(1_000)
        #expect(early.elements == [true])
        #expect(bonded.elements == [false, true])
        #expect(bonded.isLive)
    }

    @Test(.proves(.Q28)) func `A bond follows its adapter to another number`() {
        let (stage, peripheral) = Stage.withLock()
        let pairing = stage.record(peripheral.pair())
        let bonded = stage.record(peripheral.isBonded)
        let trust = peripheral.trust()
        stage.advance(5_000)
        #expect(pairing.isCompleted)
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(100)
        #expect(bonded.elements == [false, true, false])
        stage.simulation.bluez.addAdapter(as: 2)
        stage.advance(1_000)
        #expect(bonded.elements == [false, true, false, true])
        let trusted = stage.record(trust)
        stage.advance(10)
        #expect(trusted.isCompleted)
        #expect(stage.simulation.calls.last { $0.member == "Set" }?.path.hasPrefix("/org/bluez/hci2/") == true)
    }

    @Test(.proves(.S7)) func `Closing the manager fails trust and forget in progress as closed`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let trusted = stage.record(peripheral.trust())
        let forgotten = stage.record(peripheral.forget())
        stage.advance(0)
        let closed = stage.record(stage.manager.close())
        stage.advance(100)
        #expect(closed.isCompleted)
        #expect([trusted.kind, forgotten.kind] == [.closed, .closed])
        #expect(trusted.error?.outcomeUnknown == true && forgotten.error?.outcomeUnknown == true)
        #expect(daemon.methods.contains("RemoveDevice"))
    }

    @Test(.proves(.Q20)) func `isBonded follows Paired until bluetoothd reports Bonded`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let bonded = stage.record(peripheral.isBonded)
        stage.advance(0)
        daemon.deviceChanges(["Paired": .bool(true)])
        stage.advance(0)
        #expect(bonded.elements == [false, true])
        daemon.deviceChanges(["Bonded": .bool(false)])
        stage.advance(0)
        #expect(bonded.elements == [false, true, false])
    }

    @Test func `Closing the manager ends the bond streams`() {
        let (stage, peripheral) = Stage.withLock()
        let bonded = stage.record(peripheral.isBonded)
        stage.advance(0)
        let closed = stage.record(stage.manager.close())
        stage.advance(1_000)
        #expect(closed.isCompleted)
        #expect(bonded.kind == .closed)
    }

    @Test func `Loss of the bus ends the bond streams`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let (bonded, paired) = (stage.record(peripheral.isBonded), stage.record(peripheral.isPaired))
        stage.advance(0)
        #expect(bonded.elements == [false])
        withExtendedLifetime(daemon) { stage.simulation.bus.shutDown() }
        stage.advance(0)
        #expect(bonded.kind == .busUnavailable)
        #expect(paired.kind == .busUnavailable)
    }

    @Test(.proves(.Q87)) func `A bond that the device lost has its own error; forget and pair restore it`() {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(losesBond: true))
        let pairing = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(pairing.isCompleted)
        for _ in 1...2 {
            let link = stage.record(peripheral.connect())
            stage.advance(2_000)
            #expect(link.kind == .bondLost)
            #expect(link.error?.dbusMessage == "br-connection-canceled")
            #expect(link.error?.advice?.contains("pair it again") == true)
        }
        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        let again = stage.find(Lock.address)
        let link = stage.connect(again)
        let paired = stage.record(again.pair())
        stage.advance(2_000)
        #expect(paired.isCompleted)
        #expect(link.isLive)
    }

    @Test(.proves(.Q93)) func `Forgetting a device clears its cached services`() {
        let (stage, peripheral) = Stage.withLock()
        func services(_ peripheral: Peripheral) -> [BluetoothUUID] {
            let link = stage.connect(peripheral)
            let services = stage.record(peripheral.discoverServices([0xFFF0, 0xFFE0]))
            stage.advance(100)
            link.dispose()
            stage.advance(5_000)
            return services.elements.map(\.uuid)
        }
        #expect(services(peripheral) == [0xFFF0])
        // The peripheral gets new firmware with other services, but does not announce the change.
        stage.simulation.bluez.changeServices(
            of: Lock.text, announced: false,
            to: [SimulatedService("ffe0") { SimulatedCharacteristic("ffe1", .read([1])) }])
        #expect(services(peripheral) == [0xFFF0])
        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        #expect(services(stage.find(Lock.address)) == [0xFFE0])
    }

    @Test(.proves(.Q79)) func `A connection that another program cancels is not a lost bond`() {
        let objects = ScriptedDaemon.Objects.oneDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Paired": .bool(true), "Bonded": .bool(true)])
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").fail("org.bluez.Error.Failed", "br-connection-canceled")
        stage.advance(250)
        #expect(link.isLive)
        daemon.take("Connect").fail("org.bluez.Error.Failed", "le-connection-refused")
        stage.advance(0)
        #expect(link.kind == .connectFailed("le-connection-refused"))
    }

    @Test(.proves(.Q87, .Q77)) func `Two aborts in a row right after connecting mean a lost bond`() {
        let objects = ScriptedDaemon.Objects.oneKnownDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Paired": .bool(true), "Bonded": .bool(true)])
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        func abort() {
            stage.advance(0)
            daemon.deviceChanges(["Connected": .bool(true)])
            daemon.take("Connect").fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
            daemon.deviceChanges(["Connected": .bool(false)])
            stage.advance(250)
        }
        let first = stage.record(peripheral.connect())
        abort()
        #expect(first.isLive)
        abort()
        #expect(first.kind == .bondLost)
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(link.kind == .disconnected(.unknown))
        let last = stage.record(peripheral.connect())
        abort()
        #expect(last.isLive)
        abort()
        #expect(last.kind == .bondLost)
    }

    @Test func `trust sets and clears the Trusted property`() {
        let (stage, peripheral) = Stage.withLock()
        for isTrusted in [true, false] {
            let trusted = stage.record(peripheral.trust(isTrusted))
            stage.advance(10)
            #expect(trusted.isCompleted)
        }
        #expect(
            stage.calls("Set") == ["Device1\", \"Trusted\", true)", "Device1\", \"Trusted\", false)"])
    }

    @Test func `trust of a removed device fails with peripheralGone`() {
        let (stage, peripheral) = Stage.withLock()
        stage.simulation.bluez.setInRange(false, Lock.text)
        stage.advance(120_000)
        let trusted = stage.record(peripheral.trust())
        stage.advance(10)
        #expect(trusted.kind == .peripheralGone)
        #expect(trusted.error?.operation == .trust)
    }

    @Test func `forget succeeds without a link and when repeated`() {
        let (stage, peripheral) = Stage.withLock()
        for _ in 1...2 {
            let forgotten = stage.record(peripheral.forget())
            stage.advance(10)
            #expect(forgotten.isCompleted)
        }
        #expect(stage.methods == ["RemoveDevice", "RemoveDevice"])
        let link = stage.record(peripheral.connect())
        stage.advance(2_000)
        #expect(link.elements == [peripheral])
    }

    @Test(.covers(.forgetting)) func `forget closes the link first, and its connection fails as requested`() {
        let (stage, peripheral) = Stage.withLock()
        let link = stage.connect(peripheral)
        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        #expect(link.kind == .disconnected(.requested))
        #expect(stage.methods == ["Connect", "Disconnect", "RemoveDevice"])
        stage.expectSettled()
    }

    @Test func `forget fails with poweredOff while the adapter is off`() {
        let (stage, peripheral) = Stage.withLock()
        stage.simulation.bluez.setPower(false)
        stage.advance(100)
        let forgotten = stage.record(peripheral.forget())
        stage.advance(10)
        #expect(forgotten.kind == .poweredOff)
        #expect(forgotten.error?.operation == .forget)
    }

    @Test func `Pairing a forgotten device finds it again`() {
        let (stage, peripheral) = Stage.withLock()
        let forgotten = stage.record(peripheral.forget())
        stage.advance(10)
        #expect(forgotten.isCompleted)
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted)
    }
}
