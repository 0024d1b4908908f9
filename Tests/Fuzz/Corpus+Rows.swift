import DBus

extension Corpus {
    typealias Row = (name: String, route: Route, head: Head, body: [Value])

    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    private static func change(
        _ name: String, _ path: String, _ interface: String, _ changed: [String: Value], _ invalidated: [String] = []
    ) -> Row {
        (
            name, .signal, .signal(path: path, interface: properties, member: "PropertiesChanged"),
            [.string("org.bluez." + interface), .properties(changed), .strings(invalidated)]
        )
    }

    private static func added(_ name: String, _ path: String, _ interface: String, _ content: [String: Value]) -> Row {
        (
            name, .signal, .signal(path: "/", interface: objectManager, member: "InterfacesAdded"),
            [.objectPath(ObjectPath(path) ?? .root), BlueZObjects.interfaces("org.bluez." + interface, content)]
        )
    }

    private static func removed(_ name: String, _ path: String, _ interfaces: [String]) -> Row {
        (
            name, .signal, .signal(path: "/", interface: objectManager, member: "InterfacesRemoved"),
            [.objectPath(ObjectPath(path) ?? .root), .strings(interfaces)]
        )
    }

    private static func refused(_ method: String, _ name: String, _ text: String) -> Row {
        ("error of \(method)", .answer(to: method), .error("org.bluez.Error." + name), [.string(text)])
    }

    static let rows: [Row] = advertisements + objects + answers + errors

    static let advertisements: [Row] = [
        change("advertisement", BlueZObjects.other, "Device1", BlueZObjects.advertisement),
        change("advertisement", BlueZObjects.other, "Device1", BlueZObjects.advertisement.filter { $0.key != "Name" }),
        change("strength", BlueZObjects.other, "Device1", ["RSSI": .int16(-60)]),
        change(
            "manufacturer data", BlueZObjects.device, "Device1",
            BlueZObjects.advertisement.filter { ["RSSI", "ManufacturerData"].contains($0.key) }),
        change(
            "service data", BlueZObjects.device, "Device1",
            BlueZObjects.advertisement.filter { ["ServiceData", "UUIDs"].contains($0.key) }),
        change("end of a scan", BlueZObjects.other, "Device1", [:], ["RSSI", "TxPower", "ManufacturerData", "Name"]),
        change("notification", BlueZObjects.characteristic, "GattCharacteristic1", ["Value": .bytes([0, 62])]),
        change(
            "notification with more", BlueZObjects.characteristic, "GattCharacteristic1",
            BlueZObjects.characteristicProperties),
        added(
            "new device", BlueZObjects.adapter + "/dev_C0_FF_EE_00_00_03", "Device1",
            BlueZObjects.deviceProperties("C0:FF:EE:00:00:03", connected: false)),
    ]

    private static let objects: [Row] = [
        change("adapter", BlueZObjects.adapter, "Adapter1", ["Discovering": .bool(false), "Alias": .string("a")]),
        change(
            "link", BlueZObjects.other, "Device1",
            ["Connected": .bool(true), "ServicesResolved": .bool(true), "Bonded": .bool(true)]),
        added("new adapter", "/org/bluez/hci1", "Adapter1", BlueZObjects.adapterProperties),
        added(
            "new characteristic", BlueZObjects.service + "/char0020", "GattCharacteristic1",
            BlueZObjects.characteristicProperties),
        added("new service", BlueZObjects.device + "/service0020", "GattService1", ["Primary": .bool(false)]),
        removed(
            "device removed", BlueZObjects.other,
            ["org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable", "org.bluez.Device1"]),
        removed("descriptor removed", BlueZObjects.descriptor, ["org.bluez.GattDescriptor1"]),
        (
            "owner", .signal,
            .signal(path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged"),
            [.string("org.bluez"), .string(":1.1"), .string(":1.1")]
        ),
    ]

    private static let answers: [Row] = [
        ("value", .answer(to: "ReadValue"), .reply, [.bytes([0, 61, 255, 0, 0x80])]),
        ("value", .answer(to: "ReadValue"), .reply, [.bytes(Array(repeating: 0xA5, count: 512))]),
        ("nothing", .answer(to: "WriteValue"), .reply, []),
        ("nothing", .answer(to: "Connect"), .reply, []),
        ("property", .answer(to: "Get"), .reply, [.variant(.bool(true))]),
        ("owner's name", .answer(to: "GetNameOwner"), .reply, [.string(":1.1")]),
        ("objects", .answer(to: "GetManagedObjects"), .reply, [BlueZObjects.all]),
    ]

    private static let errors: [Row] = [
        refused("ReadValue", "Failed", "Operation failed with ATT error: 0x81"),
        refused("ReadValue", "NotPermitted", "Read not permitted"),
        refused("WriteValue", "InvalidArguments", "Invalid Length"),
        refused("Connect", "Failed", "le-connection-abort-by-local"),
        refused("GetNameOwner", "Failed", "out of order"),
        refused("GetManagedObjects", "NotReady", "Resource Not Ready"),
    ]
}
