import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Devices without a bond, which bluetoothd removes when a connection attempt fails.
struct RemovedWhileConnectingTests {
    /// Makes a stage (a manager and a simulation) on which another program removes the device.
    ///
    /// - Parameter calls: The calls of Connect that have no reply, because the device is removed instead.
    private static func stage(removals calls: Fault.Calls) -> (Stage, Peripheral) {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault(
                "Device1.Connect", calls: calls,
                .meanwhile(after: .milliseconds(100)) { $0.competingClient().remove(Sensor.text) }))
        return (stage, peripheral)
    }

    @Test(.proves(.Q123)) func `A device removed during an attempt is found again and connected`() {
        let (stage, peripheral) = Self.stage(removals: .first(2))
        let link = stage.record(peripheral.connect())
        let states = stage.record(peripheral.connectionState)
        stage.advance(10_000)
        #expect(link.elements == [peripheral])
        #expect(stage.count("Connect") == 3)
        #expect(states.elements.last == .connected)
        #expect(!states.elements.contains { if case .disconnected(.some) = $0 { true } else { false } })
        #expect(!stage.isDiscovering())
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.Q123)) func `A peripheral that never accepts a connection times out at the deadline`() {
        let (stage, peripheral) = Self.stage(removals: .all)
        let link = stage.record(peripheral.connect())
        stage.advance(29_999)
        #expect(link.isLive)
        #expect(stage.count("Connect") > 2)
        stage.advance(1)
        #expect(link.kind == .timedOut)
        #expect(link.error?.operation == .connect)
        #expect(link.times.count == 1)
        stage.advance(10_000)
        #expect(!stage.isDiscovering())
        stage.expectSettled()
    }

    @Test(.proves(.Q61, .Q123)) func `A removed device that does not return times out at the deadline`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        stage.advance(28_999)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .timedOut)
        #expect(link.error?.description.contains("removed the device") == true)
        #expect(daemon.count("Connect") == 1)
        // No Disconnect is sent, because the removal has ended the attempt in bluetoothd.
        #expect(daemon.count("Disconnect") == 0)
        stage.advance(0)
        #expect(daemon.count("StopDiscovery") == 1)
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.Q123)) func `A link is closed although the removal of the device was signalled late`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Disconnect"] { daemon.always(member) }
        let link = stage.record(peripheral.connect())
        stage.advance(10)
        // bluetoothd has removed the device and found it again before it received the first call.
        let path = ScriptedDaemon.Objects.devicePath
        daemon.remove(path, "org.bluez.Device1")
        daemon.add(ScriptedDaemon.Objects.oneKnownDevice.filter { $0.key == path })
        stage.advance(300)
        let first = daemon.take("Connect")
        daemon.take("Connect").fail("org.bluez.Error.InProgress", "In Progress")
        stage.advance(1)
        daemon.change(path, "org.bluez.Device1", ["Connected": .bool(true)])
        stage.advance(1)
        first.reply()
        daemon.take("Connect").reply()
        daemon.change(path, "org.bluez.Device1", ["ServicesResolved": .bool(true)])
        stage.advance(10)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(1)
        #expect(daemon.count("Disconnect") == 1)
    }

    @Test(.proves(.Q123), arguments: [true, false])
    func `A link of a call before a late removal is closed after disposing`(isShownFirst: Bool) {
        let (stage, daemon, peripheral) = Stage.scripted()
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Disconnect"] { daemon.always(member) }
        let link = stage.record(peripheral.connect())
        stage.advance(10)
        let path = ScriptedDaemon.Objects.devicePath
        daemon.remove(path, "org.bluez.Device1")
        daemon.add(ScriptedDaemon.Objects.oneKnownDevice.filter { $0.key == path })
        stage.advance(100)
        // The link is shown before bluetoothd replies to `Connect`.
        if isShownFirst { daemon.change(path, "org.bluez.Device1", ["Connected": .bool(true)]) }
        link.dispose()
        stage.advance(100)
        #expect(daemon.count("Disconnect") == 0)
        daemon.change(path, "org.bluez.Device1", ["Connected": .bool(true)])
        daemon.take("Connect").reply()
        stage.advance(1)
        #expect(daemon.count("Disconnect") == 1)
        daemon.change(path, "org.bluez.Device1", ["Connected": .bool(false)])
        stage.advance(0)
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.Q123)) func `Disposing after a late removal ends with the failure of the call before it`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let link = stage.record(peripheral.connect())
        stage.advance(10)
        let path = ScriptedDaemon.Objects.devicePath
        daemon.remove(path, "org.bluez.Device1")
        daemon.add(ScriptedDaemon.Objects.oneKnownDevice.filter { $0.key == path })
        stage.advance(100)
        link.dispose()
        // Another program connects. Its link stays.
        daemon.change(path, "org.bluez.Device1", ["Connected": .bool(true)])
        daemon.take("Connect").fail("org.bluez.Error.Failed", "br-connection-canceled")
        stage.advance(1)
        #expect(daemon.count("Disconnect") == 0)
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.Q123)) func `A device removed between two attempts is found again and connected`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(failures: 1))
        let link = stage.record(peripheral.connect())
        stage.advance(160)
        stage.simulation.bluez.competingClient().remove(Sensor.text)
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
    }

    @Test(.proves(.Q123)) func `Disposing or closing during the search for a removed device stops the scan`() {
        for isClosing in [true, false] {
            let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(2)))
            let link = stage.record(peripheral.connect())
            stage.advance(100)
            stage.simulation.bluez.setInRange(false, Sensor.text)
            stage.simulation.bluez.competingClient().remove(Sensor.text)
            stage.advance(1_000)
            #expect(link.isLive)
            #expect(stage.isDiscovering())
            if isClosing {
                let closed = stage.record(stage.manager.close())
                stage.advance(1_000)
                #expect(closed.isCompleted)
                #expect(link.kind == .closed)
            } else {
                link.dispose()
                stage.advance(1_000)
                stage.expectSettled()
            }
            #expect(!stage.isDiscovering())
            #expect(stage.count("Disconnect") == 0)
        }
    }

    @Test(.proves(.Q123)) func `A removed device that returns with a link is shared and left open`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        stage.advance(1_000)
        daemon.add(
            ScriptedDaemon.Objects.device.setting(
                ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Connected": .bool(true)]))
        stage.advance(250)
        _ = daemon.take("Connect")
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(1_000)
        #expect(daemon.count("Disconnect") == 0)
    }

    @Test(.proves(.Q123)) func `A reconnecting connection survives removals during its attempts`() {
        let (stage, peripheral) = Self.stage(removals: .first(3))
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0, attempts: 1))))
        stage.advance(15_000)
        #expect(link.elements == [peripheral])
        #expect(link.isLive)
    }

    @Test(.proves(.S34, .Q123), arguments: [true, false])
    func `Losing the adapter fails the search for a removed device with that reason`(isUnplugged: Bool) {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(2)))
        let link = stage.record(peripheral.connect())
        stage.advance(100)
        stage.simulation.bluez.setInRange(false, Sensor.text)
        stage.simulation.bluez.competingClient().remove(Sensor.text)
        stage.advance(1_000)
        if isUnplugged { stage.simulation.bluez.removeAdapter() } else { stage.simulation.bluez.setPower(false) }
        stage.advance(10)
        #expect(link.kind == .disconnected(.adapter))
        stage.expectSettled()
    }
}
