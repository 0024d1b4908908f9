import DBus
import RxBluetooth

/// Objects for a ``ScriptedDaemon``.
extension ScriptedDaemon.Objects {
    static let adapterPath = "/org/bluez/hci0"
    static let devicePath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    static let servicePath = devicePath + "/service0010"
    static let characteristicPath = servicePath + "/char0011"

    static var adapter: Self {
        [
            adapterPath: [
                "org.bluez.Adapter1": [
                    "Address": .string("00:1A:7D:DA:71:01"), "Alias": .string("scripted"), "Powered": .bool(true),
                    "PowerState": .string("on"), "Discovering": .bool(false), "Roles": .strings(["central"]),
                ]
            ]
        ]
    }

    static var device: Self {
        [
            devicePath: [
                "org.bluez.Device1": [
                    "Address": .string("C0:FF:EE:00:00:01"), "AddressType": .string("random"),
                    "Alias": .string("Scripted"), "Name": .string("Scripted"), "Connected": .bool(false),
                    "ServicesResolved": .bool(false),
                ]
            ]
        ]
    }

    /// The heart-rate service with one characteristic (2A37), which supports all operations.
    static var services: Self {
        [
            servicePath: [
                "org.bluez.GattService1": [
                    "UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"), "Primary": .bool(true),
                ]
            ],
            characteristicPath: [
                "org.bluez.GattCharacteristic1": [
                    "UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"),
                    "Flags": .strings(["read", "write", "write-without-response", "notify"]),
                ]
            ],
        ]
    }

    /// An adapter and a device. The device is not connected, and its services are unknown.
    static var oneDevice: Self { adapter.adding(device) }

    /// An adapter and a device with services, which bluetoothd remembers from an earlier connection.
    static var oneKnownDevice: Self { oneDevice.adding(services) }

    func adding(_ others: Self) -> Self { merging(others) { $1 } }

    /// The objects of bluetoothd 5.87, which answers a socket request that the peripheral refuses.
    var of5_87: Self {
        setting(Self.adapterPath, "org.bluez.Adapter1", ["Modalias": .string("usb:v1D6Bp0246d0557")])
    }

    /// Returns these objects with other values for some properties of an interface.
    func setting(_ path: String, _ interface: String, _ properties: [String: DBus.Value]) -> Self {
        var objects = self
        objects[path, default: [:]][interface, default: [:]].merge(properties) { $1 }
        return objects
    }
}

extension ScriptedDaemon {
    func adapterChanges(_ properties: [String: Value]) {
        change("/org/bluez/hci0", "org.bluez.Adapter1", properties)
    }

    func deviceChanges(_ properties: [String: Value]) {
        change(Objects.devicePath, "org.bluez.Device1", properties)
    }

    func notifies(_ value: [UInt8]) {
        change(Objects.characteristicPath, "org.bluez.GattCharacteristic1", ["Value": .bytes(value)])
    }
}
