import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct LinkLossTests {
    /// A connection with a read under way, a write that waits, and notifications on.
    struct Busy {
        let stage: Stage
        let peripheral: Peripheral
        let link: Recording<Peripheral>
        let read: Recording<[UInt8]>
        let write: Recording<Never>
        let values: Recording<[UInt8]>

        init() {
            (stage, peripheral) = Stage.withSensor()
            link = stage.connect(peripheral)
            values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
            stage.advance(100)
            read = stage.record(stage.characteristic(Sensor.silent, of: peripheral).readValue())
            write = stage.record(stage.characteristic(Sensor.value, of: peripheral).writeValue([1]))
            stage.advance(100)
            stage.simulation.bluez.forgetCalls()
        }

        func expectAll(_ kind: BluetoothError.Kind, _ location: SourceLocation = #_sourceLocation) {
            #expect(link.kind == kind, sourceLocation: location)
            #expect(read.kind == kind, sourceLocation: location)
            #expect(write.kind == kind, sourceLocation: location)
            #expect(values.kind == kind, sourceLocation: location)
            // One cause for all, but each says what it stopped.
            #expect(read.error?.operation == .read, sourceLocation: location)
            #expect(write.error?.operation == .write, sourceLocation: location)
            #expect(values.error?.operation == .notify, sourceLocation: location)
            #expect(link.times.count == 2, sourceLocation: location)
            stage.expectSettled(location)
        }
    }

    @Test(.proves(.S59, .S74, .S79, .Q103))
    func `A lost link fails all with one cause, and bluetoothd is told to notify no more`() {
        let busy = Busy()
        busy.stage.simulation.bluez.dropLink(to: Sensor.text)
        busy.stage.advance(1)
        busy.expectAll(.disconnected(.unknown))
        // It would arm the notifications again by itself after the next connection.
        #expect(busy.stage.methods == ["Get", "StopNotify"])
        let later = busy.stage.record(busy.peripheral.discoverServices())
        busy.stage.advance(0)
        #expect(later.kind == .notConnected)
    }

    @Test(.proves(.S39)) func `A peripheral that falls silent is lost after the supervision timeout`() {
        let busy = Busy()
        busy.stage.simulation.bluez.setInRange(false, Sensor.text)
        busy.stage.advance(419)
        #expect(busy.link.isLive)
        busy.stage.advance(1)
        busy.expectAll(.disconnected(.unknown))
    }

    @Test(.proves(.S34)) func `Switching the adapter off while connected fails all with that reason`() {
        let busy = Busy()
        busy.stage.simulation.bluez.setPower(false)
        busy.stage.advance(1)
        busy.expectAll(.disconnected(.adapter))
        // On a real bus the two signals may be read one by one; then the adapter is asked for in between (S34).
        #expect(busy.stage.methods.filter { !Ground.isPrivateBus || $0 != "Get" } == ["StopNotify"])
        let again = busy.stage.record(busy.peripheral.connect())
        busy.stage.advance(1)
        #expect(again.kind == .adapterOff)
        busy.stage.simulation.bluez.setPower(true)
        busy.stage.advance(1)
        #expect(busy.stage.count("Connect") == 0)
    }

    @Test(.proves(.S34, .Q32)) func `An adapter that is being switched off is the reason, and nobody need be asked`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.change(
            ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1", ["PowerState": .string("on-disabling")])
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        #expect(link.kind == .disconnected(.adapter))
        #expect(daemon.methods == ["Connect"])
        stage.expectNoTimers()
    }

    @Test(.proves(.S34)) func `Switching the adapter off while a link is being closed ends that`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let waiting = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.setPower(false)
        stage.advance(1)
        // The link was down a moment before the adapter, so the next one had begun.
        #expect(waiting.kind == .disconnected(.adapter))
        // On a real bus its call may have left by then, and comes back refused.
        #expect(stage.methods == ["Connect", "Disconnect"] || Ground.isPrivateBus && stage.count("Connect") == 2)
        stage.expectSettled()
    }

    @Test(.proves(.S34)) func `Unplugging the adapter while a link is being closed ends that`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let waiting = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.removeAdapter()
        stage.advance(1)
        #expect(!waiting.isLive)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.expectSettled()
    }

    @Test(.proves(.S34)) func `Switching the adapter off while connecting fails the connection, and the claim is free`()
    {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.setPower(false)
        stage.advance(1)
        #expect(link.kind == .disconnected(.adapter))
        #expect(link.times.count == 1)
        #expect(stage.methods == ["Connect"])
        stage.expectSettled()
    }

    @Test(.proves(.S34)) func `Unplugging the adapter fails all`() {
        let busy = Busy()
        busy.stage.simulation.bluez.removeAdapter()
        busy.stage.advance(1)
        busy.expectAll(.disconnected(.adapter))
        let again = busy.stage.record(busy.peripheral.connect())
        busy.stage.advance(1)
        #expect(again.kind == .noAdapter)
        // bluetoothd takes characteristics and devices away before the adapter, so it is asked what became of those.
        #expect(Set(busy.stage.methods) == ["Get"])
    }

    @Test(.proves(.S34)) func `Unplugging the adapter while connecting fails the connection`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.removeAdapter()
        stage.advance(1)
        #expect(link.kind == .disconnected(.adapter))
        #expect(stage.count("Disconnect") == 0)
        stage.expectSettled()
    }

    @Test(.proves(.Q61)) func `A device that another program removes is a lost link`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(stage.characteristic(0x2A37, of: peripheral).readValue())
        stage.advance(0)
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        // What bluetoothd answers to the read is not why it failed.
        daemon.take("ReadValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
        stage.advance(0)
        #expect(read.isLive)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(link.kind == .disconnected(.removed))
        #expect(read.kind == .disconnected(.removed))
        #expect(daemon.methods == ["Connect", "ReadValue", "Get"])
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.S30)) func `Disposing while it is being found out why the link was lost sends nothing`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        link.dispose()
        stage.advance(0)
        #expect(link.times.count == 1)
        #expect(daemon.methods == ["Connect", "Get"])
        stage.expectSettled()
        stage.expectNoTimers()
        let again = stage.record(peripheral.connect())
        stage.advance(0)
        #expect(again.isLive)
        #expect(daemon.count("Connect") == 2)
    }

    @Test func `A lost link is told of even where bluetoothd does not answer any more`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(499)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .disconnected(.unknown))
    }

    @Test(.proves(.Q2)) func `A crash of bluetoothd fails all, sends nothing, and connecting works with the next one`()
    {
        let busy = Busy()
        busy.stage.simulation.bluez.crash()
        busy.stage.advance(1)
        busy.expectAll(.disconnected(.daemon))
        #expect(busy.stage.methods.isEmpty)
        let early = busy.stage.record(busy.peripheral.connect())
        busy.stage.advance(1)
        #expect(early.kind == .daemonUnavailable)
        busy.stage.simulation.bluez.start()
        busy.stage.advance(10)
        let peripheral = busy.stage.find(Sensor.address)
        #expect(peripheral === busy.peripheral)
        let again = busy.stage.connect(peripheral)
        #expect(again.isLive)
    }

    @Test(.proves(.Q2)) func `A crash of bluetoothd while connecting or closing ends both`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        let other = stage.find("C0:FF:EE:00:00:22")
        let connecting = stage.record(other.connect())
        stage.advance(10)
        stage.simulation.bluez.crash()
        stage.advance(1)
        #expect(connecting.kind == .disconnected(.daemon))
        stage.expectSettled()
    }

    @Test(.proves(.Q2))
    func `A bluetoothd that is replaced in one moment fails all, and the new one hears nothing of it`() {
        let busy = Busy()
        busy.stage.simulation.bluez.crash()
        busy.stage.simulation.bluez.start()
        busy.stage.advance(10)
        busy.expectAll(.disconnected(.daemon))
        #expect(busy.stage.methods.isEmpty)
    }

    @Test(.proves(.S31))
    func `A connect that waits for a closing link hears of a crash, or connects with the next bluetoothd`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let waiting = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.crash()
        stage.advance(1)
        #expect(waiting.kind == .daemonUnavailable)
        #expect(waiting.error?.operation == .connect)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.expectSettled()
    }

    @Test(.proves(.S15, .S35)) func `A connection that is tried again when it is lost comes up again, without a rest`()
    {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(dropsAfter: .seconds(1)))
        let link = stage.record(peripheral.connect().retry(3))
        stage.advance(10_000)
        #expect(link.elements.count == 3)
        #expect(link.kind == .disconnected(.unknown))
        #expect(stage.count("Connect") == 3)
        #expect(stage.count("Disconnect") == 0)
    }

    @Test func `A bus that ends fails all`() {
        let busy = Busy()
        busy.stage.simulation.bus.shutDown()
        busy.stage.advance(1)
        #expect(busy.link.kind == .disconnected(.bus))
        #expect(busy.read.kind == .disconnected(.bus))
        #expect(busy.write.kind == .disconnected(.bus))
        #expect(busy.values.kind == .disconnected(.bus))
        let again = busy.stage.record(busy.peripheral.connect())
        busy.stage.advance(1)
        #expect(again.error != nil)
    }

    @Test(.proves(.S85)) func `Every error equals itself and says what failed and for whom`() {
        let busy = Busy()
        busy.stage.simulation.bluez.dropLink(to: Sensor.text)
        busy.stage.advance(1)
        for error in [busy.link.error, busy.read.error, busy.write.error, busy.values.error] {
            #expect(error == error)
            #expect(error?.description.contains(Sensor.text) == true)
        }
        #expect(busy.read.error?.description.hasPrefix("Reading FFF3 of \(Sensor.text): the link was lost.") == true)
        #expect(busy.write.error?.outcomeUnknown == true)
        #expect(busy.read.error?.outcomeUnknown == false)
    }
}
