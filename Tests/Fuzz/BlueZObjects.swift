import DBus

/// D-Bus objects as bluetoothd 5.66 reports them.
enum BlueZObjects {
    static let adapter = "/org/bluez/hci0"
    static let device = adapter + "/dev_C0_FF_EE_00_00_01"
    static let other = adapter + "/dev_C0_FF_EE_00_00_02"
    static let service = device + "/service000a"
    static let characteristic = service + "/char000b"
    static let descriptor = characteristic + "/desc000d"

    static let adapterProperties: [String: Value] = [
        "Address": .string("00:1A:7D:DA:71:01"), "AddressType": .string("public"), "Name": .string("gateway"),
        "Alias": .string("gateway"), "Class": .uint32(0x7C010C), "Powered": .bool(true), "PowerState": .string("on"),
        "Discoverable": .bool(false), "DiscoverableTimeout": .uint32(180), "Pairable": .bool(true),
        "PairableTimeout": .uint32(0), "Discovering": .bool(true), "Modalias": .string("usb:v1D6Bp0246d0542"),
        "UUIDs": .strings([uuid("1800"), uuid("1801"), uuid("180a")]), "Roles": .strings(["central", "peripheral"]),
        "ExperimentalFeatures": .strings([]),
    ]

    static let advertisement: [String: Value] = [
        "RSSI": .int16(-61), "TxPower": .int16(4), "AdvertisingFlags": .bytes([6]), "Appearance": .uint16(832),
        "Name": .string("Heart rate strap"), "UUIDs": .strings([uuid("180d"), uuid("180f")]),
        "ManufacturerData": .dictionary(
            key: "q", value: "v",
            [
                Value.Entry(.uint16(0x004C), .variant(.bytes([2, 21, 0xFF, 0, 1]))),
                Value.Entry(.uint16(0xFFFF), .variant(.bytes([]))),
            ]),
        "ServiceData": .dictionary(
            key: "s", value: "v",
            [
                Value.Entry(.string(uuid("fcd2")), .variant(.bytes([0x40, 0x01, 0x55]))),
                Value.Entry(.string("12345678-1234-5678-1234-56789abcdef0"), .variant(.bytes([7]))),
            ]),
        "AdvertisingData": .dictionary(key: "y", value: "v", [Value.Entry(.byte(0xFF), .variant(.bytes([1, 2])))]),
    ]

    static func deviceProperties(_ address: String, connected: Bool) -> [String: Value] {
        [
            "Address": .string(address), "AddressType": .string("random"), "Alias": .string("Heart rate strap"),
            "Paired": .bool(false), "Bonded": .bool(false), "Trusted": .bool(false), "Blocked": .bool(false),
            "LegacyPairing": .bool(false), "Connected": .bool(connected), "ServicesResolved": .bool(connected),
            "WakeAllowed": .bool(false), "Adapter": .objectPath("/org/bluez/hci0"),
        ].merging(advertisement) { $1 }
    }

    static let characteristicProperties: [String: Value] = [
        "UUID": .string(uuid("2a37")), "Service": .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a"),
        "Value": .bytes([0, 61]), "Notifying": .bool(false), "MTU": .uint16(247),
        "Flags": .strings(["read", "write", "write-without-response", "notify", "indicate", "extended-properties"]),
    ]

    private static let services: [(String, String, [String: Value])] = [
        (
            service, "org.bluez.GattService1",
            [
                "UUID": .string(uuid("180d")), "Primary": .bool(true), "Includes": .array(of: "o", []),
                "Device": .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01"),
            ]
        ),
        (characteristic, "org.bluez.GattCharacteristic1", characteristicProperties),
        (
            descriptor, "org.bluez.GattDescriptor1",
            ["UUID": .string(uuid("2902")), "Value": .bytes([]), "Flags": .strings(["read", "write"])]
        ),
    ]

    /// The well-formed reply to `GetManagedObjects`.
    static let all = objects(
        [
            (adapter, "org.bluez.Adapter1", adapterProperties),
            (device, "org.bluez.Device1", deviceProperties("C0:FF:EE:00:00:01", connected: true)),
            (other, "org.bluez.Device1", deviceProperties("C0:FF:EE:00:00:02", connected: false)),
        ] + services)

    /// Returns objects with one interface each, and with the interfaces of every object (`a{oa{sa{sv}}}`).
    private static func objects(_ list: [(String, String, [String: Value])]) -> Value {
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            list.map { Value.Entry(.objectPath(ObjectPath($0.0) ?? .root), interfaces($0.1, $0.2)) })
    }

    static func interfaces(_ name: String, _ properties: [String: Value]) -> Value {
        .dictionary(
            key: "s", value: "a{sv}",
            [
                Value.Entry(.string("org.freedesktop.DBus.Introspectable"), .properties([:])),
                Value.Entry(.string(name), .properties(properties)),
                Value.Entry(.string("org.freedesktop.DBus.Properties"), .properties([:])),
            ])
    }

    static func uuid(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }
}
