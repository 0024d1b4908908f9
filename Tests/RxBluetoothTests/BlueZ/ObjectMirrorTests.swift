import DBus
import RxBluetooth
import RxTest
import TestTraits
import Testing

/// Removal of objects from the mirror when bluetoothd or an adapter is lost.
struct ObjectMirrorTests {
    private typealias Objects = ScriptedDaemon.Objects

    @Test(.proves(.Q2)) func `Replacing bluetoothd in one step drops all state of the old one`() {
        let stage = Stage(starting: false)
        let first = ScriptedDaemon(on: stage, .oneKnownDevice, name: .replaceable)
        first.always("SetDiscoveryFilter")
        first.always("StartDiscovery")
        let owners = stage.record(stage.manager.state)
        let scan = stage.record(stage.manager.scanForPeripherals())
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        guard let peripheral = known.elements.first?.first?.peripheral else {
            Issue.record("The device is not known.")
            return
        }
        let link = stage.connect(peripheral, first)
        let second = ScriptedDaemon(on: stage, .adapter, name: .replacing)
        stage.advance(10)
        #expect(scan.kind == .daemonUnavailable)
        #expect(link.kind == .disconnected(.daemon))
        #expect(owners.elements.last == .poweredOn)
        let later = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        #expect(later.elements.first?.isEmpty == true)
        #expect(second.count("Connect") == 0)
    }

    @Test(.proves(.Q60)) func `A device added twice keeps only the properties of the second time`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(
            on: stage,
            Objects.oneKnownDevice.setting(
                Objects.devicePath, "org.bluez.Device1",
                [
                    "RSSI": .int16(-40), "TxPower": .int16(4),
                    "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]),
                    "Connected": .bool(true), "Bonded": .bool(true),
                ]))
        let states = stage.record(stage.manager.state)
        stage.advance(0)
        daemon.add([Objects.devicePath: ["org.bluez.Device1": ["Address": .string("C0:FF:EE:00:00:01")]]])
        stage.advance(0)
        let known = stage.record(stage.manager.knownPeripherals())
        let connected = stage.record(stage.manager.retrieveConnectedPeripherals())
        stage.advance(0)
        let sighting = known.elements.first?.first
        #expect(sighting?.rssi == nil && sighting?.advertisementData.txPowerLevel == nil)
        #expect(sighting?.advertisementData.serviceUUIDs == [])
        #expect(sighting?.peripheral.name == nil)
        #expect(connected.elements == [[]])
        #expect(states.elements == [.poweredOn])
    }

    @Test(.proves(.Q19)) func `Removing an adapter removes its devices`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        let states = stage.record(stage.manager.state)
        stage.advance(0)
        daemon.remove(Objects.adapterPath, "org.bluez.Adapter1")
        stage.advance(0)
        daemon.add(.adapter)
        let known = stage.record(stage.manager.knownPeripherals())
        let connected = stage.record(stage.manager.retrievePeripherals(withAddresses: ["C0:FF:EE:00:00:01"]))
        stage.advance(0)
        #expect(states.elements == [.poweredOn, .noAdapter, .poweredOn])
        #expect(known.elements.first?.isEmpty == true)
        #expect(connected.elements == [[]])
        // A later signal about the removed device must not add it again.
        daemon.deviceChanges(["RSSI": .int16(-50)])
        let late = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        #expect(late.elements.first?.isEmpty == true)
    }
}
