import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// How a connection ends if the peripheral, the adapter, bluetoothd or the bus is lost.
struct LinkLossTests {
    /// A connection with a running read, a queued write, and notifications that are on.
    struct ActiveConnection {
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
            // All errors have the same cause, but each error names its own operation.
            #expect(read.error?.operation == .read, sourceLocation: location)
            #expect(write.error?.operation == .write, sourceLocation: location)
            #expect(values.error?.operation == .notify, sourceLocation: location)
            #expect(link.times.count == 2, sourceLocation: location)
            stage.expectSettled(location)
        }
    }

    @Test(.proves(.S59, .S74, .S79, .Q103))
    func `A lost link fails every stream with one cause and sends StopNotify`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.dropLink(to: Sensor.text)
        active.stage.advance(1)
        active.expectAll(.linkLost(.remote))
        // StopNotify is sent, because bluetoothd would otherwise turn the notifications on again at the next
        // connection.
        #expect(active.stage.methods == ["Get", "StopNotify"])
        let later = active.stage.record(active.peripheral.discoverServices())
        active.stage.advance(0)
        #expect(later.kind == .notConnected)
    }

    @Test(.proves(.S39)) func `An unreachable peripheral is lost after the supervision timeout`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.setInRange(false, Sensor.text)
        active.stage.advance(419)
        #expect(active.link.isLive)
        active.stage.advance(1)
        active.expectAll(.linkLost(.timeout))
    }

    @Test(.proves(.S34)) func `Switching the adapter off fails every stream with that reason`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.setPower(false)
        active.stage.advance(1)
        active.expectAll(.disconnected(.adapter))
        // Ignores Get on a real bus: if the bus delivers the signals of the device and the adapter separately, the
        // library reads the state of the adapter in between (S34).
        #expect(active.stage.methods.filter { !Ground.isPrivateBus || $0 != "Get" } == ["StopNotify"])
        let again = active.stage.record(active.peripheral.connect())
        active.stage.advance(1)
        #expect(again.kind == .poweredOff)
        active.stage.simulation.bluez.setPower(true)
        active.stage.advance(1)
        #expect(active.stage.count("Connect") == 0)
    }

    @Test(.proves(.S34, .Q32)) func `An adapter that is being switched off is the reason, without another call`() {
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

    @Test(.proves(.S34)) func `Switching the adapter off ends closing and fails the waiting connect`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let waiting = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.setPower(false)
        stage.advance(1)
        // The link ended before the adapter was off, so the waiting attempt had started and fails with this reason.
        #expect(waiting.kind == .disconnected(.adapter))
        // On a real bus, the Connect of that attempt may have been sent already; bluetoothd then refuses the call.
        #expect(stage.methods == ["Connect", "Disconnect"] || Ground.isPrivateBus && stage.count("Connect") == 2)
        stage.expectSettled()
    }

    @Test(.proves(.S34)) func `Unplugging the adapter ends closing and fails the waiting connect`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let waiting = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.removeAdapter()
        stage.advance(1)
        #expect(!waiting.isLive)
        // On a real bus, the removal of the device may be read before that of the adapter. Until the latter is read, a
        // scan looks for the device.
        let search = Ground.isPrivateBus ? ["SetDiscoveryFilter", "StartDiscovery"] : []
        #expect(stage.methods.filter { !search.contains($0) } == ["Connect", "Disconnect"])
        stage.expectSettled()
    }

    @Test(.proves(.S34)) func `Switching the adapter off fails an attempt without a Disconnect`() {
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

    @Test(.proves(.S34)) func `Unplugging the adapter fails every stream, and then connecting`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.removeAdapter()
        active.stage.advance(1)
        active.expectAll(.disconnected(.adapter))
        let again = active.stage.record(active.peripheral.connect())
        active.stage.advance(1)
        #expect(again.kind == .noAdapter)
        // The library only reads: bluetoothd removes characteristics and devices before the adapter, so it checks
        // whether the device is still connected.
        #expect(Set(active.stage.methods) == ["Get"])
    }

    @Test(.proves(.S34)) func `Unplugging the adapter fails an attempt without a Disconnect`() {
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

    @Test(.proves(.Q61)) func `A connected device that another program removes is a lost link`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(stage.characteristic(0x2A37, of: peripheral).readValue())
        stage.advance(0)
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        // bluetoothd fails the read with a general error, so the library waits for the reason of the loss.
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

    @Test(.proves(.Q61)) func `A removal that follows the end of the link is its reason`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(link.kind == .disconnected(.removed))
        stage.expectSettled()
    }

    @Test(.proves(.Q61, .Q86), arguments: SimulatedBlueZ.Version.allCases)
    func `Notifications of a device that another program removes name the removal`(version: SimulatedBlueZ.Version) {
        for isRemoved in [true, false] {
            var scenario = Scenario(peripherals: [Sensor.peripheral])
            scenario.bluez = version
            let stage = Stage(scenario, deadlines: Deadlines())
            let peripheral = stage.find(Sensor.address)
            let link = stage.connect(peripheral)
            let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
            stage.advance(500)
            let rival = stage.simulation.bluez.competingClient()
            if isRemoved { rival.remove(Sensor.text) } else { rival.disconnect(Sensor.text) }
            stage.advance(5_000)
            for error in [link.error, values.error] {
                let text = "the device was removed from bluetoothd, possibly by another program."
                #expect((error?.kind == .disconnected(.removed)) == isRemoved, "\(String(describing: error))")
                #expect(error?.summary.hasSuffix(text) == isRemoved, "\(String(describing: error))")
                if isRemoved { #expect(error?.advice == "Connect again; if the peripheral was paired, pair it again.") }
            }
        }
    }

    @Test(.proves(.S30)) func `Disposing while the reason of a loss is determined sends nothing`() {
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

    @Test func `A lost link is reported even if bluetoothd does not answer`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(499)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .disconnected(.unknown))
    }

    @Test(.proves(.Q2)) func `A bluetoothd crash fails every stream, and connecting works after its restart`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.crash()
        active.stage.advance(1)
        active.expectAll(.disconnected(.daemon))
        #expect(active.stage.methods.isEmpty)
        let early = active.stage.record(active.peripheral.connect())
        active.stage.advance(1)
        #expect(early.kind == .daemonUnavailable)
        active.stage.simulation.bluez.start()
        active.stage.advance(10)
        let peripheral = active.stage.find(Sensor.address)
        #expect(peripheral === active.peripheral)
        let again = active.stage.connect(peripheral)
        #expect(again.isLive)
    }

    @Test(.proves(.Q2)) func `A bluetoothd crash ends connecting and closing`() {
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

    @Test(.proves(.Q2)) func `An immediate replacement of bluetoothd fails every stream and sends nothing`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.crash()
        active.stage.simulation.bluez.start()
        active.stage.advance(10)
        active.expectAll(.disconnected(.daemon))
        #expect(active.stage.methods.isEmpty)
    }

    @Test(.proves(.S31)) func `A connect that waits for a closing link fails if bluetoothd crashes`() {
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

    @Test(.proves(.S15, .S35)) func `Retrying a lost connection connects again and sends no Disconnect`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(dropsAfter: .seconds(1)))
        let link = stage.record(peripheral.connect().retry(3))
        stage.advance(10_000)
        #expect(link.elements.count == 3)
        #expect(link.kind == .linkLost(.remote))
        #expect(stage.count("Connect") == 3)
        #expect(stage.count("Disconnect") == 0)
    }

    @Test func `The end of the bus fails every stream`() {
        let active = ActiveConnection()
        active.stage.simulation.bus.shutDown()
        active.stage.advance(1)
        #expect(active.link.kind == .disconnected(.bus))
        #expect(active.read.kind == .disconnected(.bus))
        #expect(active.write.kind == .disconnected(.bus))
        #expect(active.values.kind == .disconnected(.bus))
        let again = active.stage.record(active.peripheral.connect())
        active.stage.advance(1)
        #expect(again.error != nil)
    }

    @Test(.proves(.S85)) func `Link loss errors name the peripheral and mark a write's outcome as unknown`() {
        let active = ActiveConnection()
        active.stage.simulation.bluez.dropLink(to: Sensor.text)
        active.stage.advance(1)
        for error in [active.link.error, active.read.error, active.write.error, active.values.error] {
            #expect(error == error)
            #expect(error?.description.contains(Sensor.text) == true)
        }
        let end = Ground.lossText
        #expect(active.read.error?.description.hasPrefix("Reading FFF3 of \(Sensor.text): \(end)") == true)
        #expect(active.write.error?.outcomeUnknown == true)
        #expect(active.read.error?.outcomeUnknown == false)
    }
}
