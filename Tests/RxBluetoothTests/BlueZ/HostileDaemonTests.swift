import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Malformed data and unexpected replies from bluetoothd.
///
/// The library ignores a wrong type, a missing property or an unknown object, and uses the rest.
struct HostileDaemonTests {
    private static let adapter = "/org/bluez/hci0"
    private static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_10"
    private static let deviceInterface = "org.bluez.Device1"

    private static let adapterOnly: ScriptedDaemon.Objects = [
        adapter: ["org.bluez.Adapter1": ["Powered": .bool(true), "Address": .string("00:AA:01:00:00:01")]]
    ]

    private func scanning(
        _ objects: ScriptedDaemon.Objects = adapterOnly
    ) -> (stage: Stage, daemon: ScriptedDaemon, scan: Recording<ScannedPeripheral>) {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage, objects)
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery")
        daemon.always("StopDiscovery")
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(10)
        #expect(daemon.methods == ["SetDiscoveryFilter", "StartDiscovery"])
        return (stage, daemon, scan)
    }

    @Test func `A device without properties has the address of its path`() {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: [:]]])
        stage.advance(1)
        #expect(scan.elements.map(\.peripheral.address) == ["F0:F1:F2:F3:F4:10"])
        #expect(scan.elements.first?.peripheral.name == nil)
        #expect(scan.elements.first?.rssi == nil)
    }

    @Test(
        .proves(.Q55),
        arguments: [(Int16(0), Int?.none), (127, nil), (20, 20), (-127, -127), (21, -50), (-128, -50), (30_403, -50)])
    func `An impossible RSSI is ignored, and a placeholder RSSI means none`(
        told: Int16, strength: Int?
    ) {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50)]]])
        daemon.change(Self.device, Self.deviceInterface, ["RSSI": .int16(told), "TxPower": .int16(4)])
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50, strength])
        #expect(scan.elements.last?.advertisementData.txPowerLevel == 4)
    }

    @Test(
        .proves(.S25),
        arguments: [
            ["RSSI": Value.string("loud")], ["RSSI": .int32(-4)], ["UUIDs": .string("x")],
            ["ManufacturerData": .properties(["x": .bytes([1])])], ["ServiceData": .bool(true)],
            ["Name": .bytes([0xFF])],
            ["Connected": .string("yes")], ["Name": .structure([.string("a"), .variant(.variant(.byte(1)))])],
            ["TxPower": .array(of: "(ss)", [])], ["AdvertisingFlags": .array(of: "s", [])],
        ])
    func `A property of a wrong type does not affect other properties`(wrong: [String: Value]) {
        let (stage, daemon, scan) = scanning()
        daemon.add([
            Self.device: [
                Self.deviceInterface: ["Alias": .string("F0-F1"), "Name": .string("Good"), "RSSI": .int16(-50)]
                    .merging(wrong) { $1 }
            ]
        ])
        stage.advance(1)
        let rest: [String: Value] = ["RSSI": .int16(-40), "Name": .string("Better"), "TxPower": .int16(3)]
        daemon.change(Self.device, Self.deviceInterface, rest.merging(wrong) { $1 })
        daemon.change(Self.device, Self.deviceInterface, ["RSSI": .int16(-41)])
        stage.advance(1)
        #expect(scan.isLive)
        let last = scan.elements.last
        #expect(last?.rssi == -41)
        #expect(last?.advertisementData.localName == (wrong["Name"] == nil ? "Better" : nil))
        if wrong["TxPower"] == nil { #expect(last?.advertisementData.txPowerLevel == 3) }
    }

    @Test(.proves(.Q19)) func `Signals with unknown objects, interfaces or signatures are ignored`() {
        let (stage, daemon, scan) = scanning()
        daemon.change("/org/bluez/hci0/dev_00_00_00_00_00_01", Self.deviceInterface, ["RSSI": .int16(-1)])
        daemon.change("/org/bluez/hci9", "org.bluez.Adapter1", ["Powered": .bool(false)])
        daemon.change("/org/bluez", "org.example.Other", ["RSSI": .int16(-1)])
        daemon.change(Self.adapter, Self.deviceInterface, ["RSSI": .int16(-1)])
        daemon.remove("/org/bluez/hci7", "org.bluez.Adapter1")
        daemon.remove(Self.device + "/service000a/char000b", "org.bluez.GattCharacteristic1")
        daemon.add(["/org/bluez/hci0/dev_nonsense": [Self.deviceInterface: ["RSSI": .int16(-1)]]])
        daemon.add([Self.device + "/service000a": ["org.bluez.GattService1": ["UUID": .string("180d")]]])
        daemon.signal(Self.device, "org.freedesktop.DBus.Properties", "PropertiesChanged")
        daemon.signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") { (body) throws(DBusError) in
            try body.objectPath("/org/bluez/hci0")
            body.bool(true)
        }
        daemon.signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") { (body) throws(DBusError) in
            try body.objectPath("/org/bluez/hci0")
            try body.string("org.bluez.Adapter1")
        }
        stage.advance(1)
        #expect(scan.elements.isEmpty)
        #expect(scan.isLive)
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50)]]])
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50])
    }

    @Test(.proves(.Q51)) func `A new interface of a known device is not an advertisement`() {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50)]]])
        daemon.add([Self.device: ["org.bluez.Battery1": ["Percentage": .byte(50)]]])
        stage.advance(1)
        #expect(scan.elements.count == 1)
    }

    @Test(.proves(.Q21)) func `Invalidated properties are removed from scan results`() {
        let (stage, daemon, scan) = scanning()
        daemon.add([
            Self.device: [Self.deviceInterface: ["RSSI": .int16(-50), "TxPower": .int16(4), "Name": .string("Old")]]
        ])
        daemon.change(
            Self.device, Self.deviceInterface, ["AdvertisingFlags": .bytes([6])],
            invalidating: ["RSSI", "TxPower", "Name", "Nonsense"])
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50, nil])
        #expect(scan.elements.map(\.advertisementData.txPowerLevel) == [4, nil])
        #expect(scan.elements.map(\.advertisementData.localName) == ["Old", nil])
        #expect(scan.elements.last?.peripheral.name == nil)
    }

    @Test(.proves(.Q20)) func `A known device needs neither an alias nor an address type`() {
        let stage = Stage(.everyday, starting: false)
        let objects = Self.adapterOnly.adding([Self.device: [Self.deviceInterface: ["Name": .string("Bare")]]])
        let daemon = ScriptedDaemon(on: stage, objects)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(10)
        #expect(known.elements.first?.map(\.peripheral.name) == ["Bare"])
        withExtendedLifetime(daemon) {}
    }

    @Test func `A property change without a list of invalidated properties is applied`() {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50)]]])
        daemon.signal(Self.device, "org.freedesktop.DBus.Properties", "PropertiesChanged") { (body) throws(DBusError) in
            try body.string(Self.deviceInterface)
            try body.properties(["RSSI": .int16(-44)])
        }
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50, -44])
    }

    @Test(.proves(.Q60)) func `A removed device that returns is the same peripheral with new properties`() {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50), "Name": .string("Old")]]])
        daemon.remove(Self.device, Self.deviceInterface)
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-51)]]])
        stage.advance(1)
        #expect(scan.elements.map(\.advertisementData.localName) == ["Old", nil])
        #expect(Set(scan.elements.map(\.peripheral)).count == 1)
    }

    @Test func `A malformed snapshot makes bluetoothd unavailable and fails a scan`() {
        for wrong in [Value.string("nonsense"), .array(of: "s", []), .properties(["x": .bool(true)])] {
            let stage = Stage(.everyday, starting: false)
            let daemon = ScriptedDaemon(on: stage, [:])
            daemon.tell(wrong)
            let states = stage.record(stage.manager.state)
            stage.advance(10)
            #expect(states.elements == [.daemonUnavailable])
            let scan = stage.record(stage.manager.scanForPeripherals())
            stage.advance(10)
            #expect(scan.error?.kind == .daemonUnavailable)
            #expect(scan.error?.detail == "Its list of objects is malformed")
        }
    }

    @Test func `An adapter without properties is off`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage, [Self.adapter: ["org.bluez.Adapter1": [:]]])
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        #expect(states.elements == [.poweredOff])
        daemon.change(Self.adapter, "org.bluez.Adapter1", ["Powered": .string("yes"), "PowerState": .byte(1)])
        daemon.change(Self.adapter, "org.bluez.Adapter1", ["Powered": .bool(true)])
        stage.advance(1)
        #expect(states.elements == [.poweredOff, .poweredOn])
    }

    @Test(.proves(.Q15)) func `Access denied by bluetoothd is a state with its own error`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage)
        daemon.always("GetManagedObjects") {
            $0.fail(DBusError(name: DBusError.Name.accessDenied, message: "Rejected send message"))
        }
        let states = stage.record(stage.manager.state)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(10)
        #expect(states.elements == [.unauthorized])
        #expect(scan.error?.kind == .unauthorized)
        #expect(scan.error?.advice?.contains("bluetooth") == true)
    }

    @Test(.proves(.S1, .Q7)) func `A scan fails with the state's error when bluetoothd lists no objects`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage)
        daemon.always("GetManagedObjects") { _ in }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(7_999)
        #expect(scan.isLive)
        stage.advance(2)
        #expect(scan.error?.kind == .daemonUnavailable)
        #expect(
            scan.error?.description
                == "Scanning: bluetoothd runs, but cannot be used (It does not reply). "
                + "Restart it: sudo systemctl restart bluetooth.")
        let again = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        #expect(again.error?.kind == .daemonUnavailable)
    }

    @Test(.proves(.Q38)) func `A scan start refused as busy is repeated and finally fails`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage, Self.adapterOnly)
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery") {
            $0.fail(DBusError(name: "org.bluez.Error.InProgress", message: "Operation already in progress"))
        }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(700)
        #expect(daemon.count("StartDiscovery") == 2)
        stage.advance(10_500)
        #expect(scan.isLive)
        #expect(daemon.count("StartDiscovery") == 23)
        stage.advance(100)
        #expect(daemon.count("StartDiscovery") == 24)
        #expect(scan.error?.kind == .busy)
        #expect(scan.error?.operation == .scan)
        let settled = stage.record(stage.manager.settled())
        stage.advance(1)
        #expect(settled.isCompleted)
        #expect(daemon.count("StopDiscovery") == 0)
    }

    @Test(.proves(.Q8, .Q37)) func `A session that starts after its deadline is stopped; the next scan works`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage, Self.adapterOnly)
        daemon.always("SetDiscoveryFilter")
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(15_000)
        #expect(scan.kind == .timedOut)
        // bluetoothd refuses StopDiscovery while it still starts the session. Then the start of this session succeeds
        // late.
        daemon.take("StopDiscovery").fail("org.bluez.Error.InProgress")
        daemon.take("StartDiscovery").reply()
        let again = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        daemon.take("StartDiscovery").fail("org.bluez.Error.InProgress")
        stage.advance(0)
        daemon.take("StopDiscovery").reply()
        stage.advance(250)
        daemon.take("StartDiscovery").reply()
        stage.advance(0)
        again.dispose()
        stage.advance(0)
        daemon.take("StopDiscovery").reply()
        stage.advance(60_000)
        #expect(daemon.count("StopDiscovery") == 3)
        #expect(daemon.count("StartDiscovery") == 3)
        let settled = stage.record(stage.manager.settled())
        stage.advance(1)
        #expect(settled.isCompleted)
    }

    @Test(.proves(.S14)) func `A failed scan start reports the D-Bus name and message`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage, Self.adapterOnly)
        daemon.always("SetDiscoveryFilter") {
            $0.fail(DBusError(name: "org.bluez.Error.InvalidArguments", message: "Invalid arguments in method call"))
        }
        daemon.always("StartDiscovery") { $0.fail(DBusError(name: "org.bluez.Error.Brand.New", message: "why")) }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(10)
        #expect(scan.error?.kind == .bluez)
        #expect(scan.error?.dbusName == "org.bluez.Error.Brand.New")
        #expect(scan.error?.dbusMessage == "why")
    }

    @Test(arguments: [String(repeating: "x", count: 300), "\u{1B}[31mred\u{1B}[0m\u{202E}\t\u{200B}", "  ", ""])
    func `Any device name is emitted unchanged, and a blank one as none`(name: String) {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: ["Name": .string(name)]]])
        stage.advance(1)
        let isNothing = name.allSatisfy { $0 == " " }
        #expect(scan.elements.first?.advertisementData.localName == (isNothing ? nil : name))
    }

    @Test(.proves(.Q17)) func `Signals from other senders on the bus are ignored`() throws {
        let (stage, daemon, scan) = scanning()
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50)]]])
        stage.advance(1)
        let impostor = stage.simulation.bus.join()
        let lie = try Message.signal(
            path: ObjectPath(Self.device) ?? .root, interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged"
        ) { (body) throws(DBusError) in
            try body.string(Self.deviceInterface)
            try body.properties(["RSSI": .int16(-1)])
            try body.value(.strings([]))
        }
        impostor.send(lie)
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50])
        daemon.change(Self.device, Self.deviceInterface, ["RSSI": .int16(-49)])
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50, -49])
    }

    @Test(.proves(.Q18)) func `The snapshot replaces objects that signals added before it`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage)
        let asked = BehaviorRelay<[IncomingCall]>(value: [])
        daemon.always("GetManagedObjects") { asked.accept(asked.value + [$0]) }
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(10)
        daemon.add([Self.device: [Self.deviceInterface: ["RSSI": .int16(-50)]]])
        stage.advance(1)
        #expect(known.elements.isEmpty)
        asked.value.first?.reply { (body) throws(DBusError) in try body.value(ScriptedDaemon.value(Self.adapterOnly)) }
        stage.advance(1)
        // The snapshot replaces the device: it is later than the signal, and it does not contain the device.
        #expect(known.elements.map(\.count) == [0])
    }
}
