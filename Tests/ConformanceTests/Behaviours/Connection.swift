import DBus

extension Behaviour {
    /// Behaviours of connecting to devices.
    static let connection = [
        Behaviour(
            "Connect to a device with a battery adds Battery1 last", 109,
            transcript: """
                HRM-0 Device1 Connected=true
                @5.87 HRM-0 LE1 Connected=true
                HRM-0 Connect -> ok
                @5.82+ added HRM-0/1800: Introspectable GattService1 Properties
                @5.82+ added HRM-0/1800/2a00: Introspectable GattCharacteristic1 Properties
                @5.82+ added HRM-0/1800/2a01: Introspectable GattCharacteristic1 Properties
                added HRM-0/1801: Introspectable GattService1 Properties
                added HRM-0/1801/2a05: Introspectable GattCharacteristic1 Properties
                added HRM-0/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added HRM-0/1801/2b29: Introspectable GattCharacteristic1 Properties
                added HRM-0/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added HRM-0/180d: Introspectable GattService1 Properties
                added HRM-0/180d/2a37: Introspectable GattCharacteristic1 Properties
                added HRM-0/180d/2a37/2902: Introspectable GattDescriptor1 Properties
                added HRM-0/180d/2a38: Introspectable GattCharacteristic1 Properties
                added HRM-0/180d/2a39: Introspectable GattCharacteristic1 Properties
                added HRM-0/180f: Introspectable GattService1 Properties
                added HRM-0/180f/2a19: Introspectable GattCharacteristic1 Properties
                added HRM-0/180f/2a19/2902: Introspectable GattDescriptor1 Properties
                HRM-0 Device1 UUIDs=[1800, 1801, 180d, 180f] ServicesResolved=true
                added HRM-0: Battery1
                """
        ) { trial in
            trial.discover("HRM-0")
            trial.first.call("HRM-0", "Device1.Connect")
            trial.first.until("Battery1")
            trial.pass(.seconds(1))
        },
        Behaviour(
            "Services, characteristics and descriptors have these properties and types", 101,
            linkedTo: "HRM-0",
            transcript: """
                @5.82+ HRM-0/180d GattService1 Handle q 14
                HRM-0/180d GattService1 UUID s 180d
                HRM-0/180d GattService1 Device o HRM-0
                HRM-0/180d GattService1 Primary b true
                HRM-0/180d GattService1 Includes ao []
                @5.82+ HRM-0/180d/2a37 GattCharacteristic1 Handle q 15
                HRM-0/180d/2a37 GattCharacteristic1 UUID s 2a37
                HRM-0/180d/2a37 GattCharacteristic1 Service o HRM-0/180d
                HRM-0/180d/2a37 GattCharacteristic1 Value ay <>
                HRM-0/180d/2a37 GattCharacteristic1 Notifying b false
                HRM-0/180d/2a37 GattCharacteristic1 Flags as [notify]
                HRM-0/180d/2a37 GattCharacteristic1 NotifyAcquired b false
                HRM-0/180d/2a37 GattCharacteristic1 MTU q 517
                @5.82+ HRM-0/180d/2a38 GattCharacteristic1 Handle q 18
                HRM-0/180d/2a38 GattCharacteristic1 UUID s 2a38
                HRM-0/180d/2a38 GattCharacteristic1 Service o HRM-0/180d
                HRM-0/180d/2a38 GattCharacteristic1 Value ay <>
                HRM-0/180d/2a38 GattCharacteristic1 Flags as [read]
                HRM-0/180d/2a38 GattCharacteristic1 MTU q 517
                @5.82+ HRM-0/180d/2a39 GattCharacteristic1 Handle q 20
                HRM-0/180d/2a39 GattCharacteristic1 UUID s 2a39
                HRM-0/180d/2a39 GattCharacteristic1 Service o HRM-0/180d
                HRM-0/180d/2a39 GattCharacteristic1 Value ay <>
                HRM-0/180d/2a39 GattCharacteristic1 Flags as [read, write-without-response, write]
                HRM-0/180d/2a39 GattCharacteristic1 WriteAcquired b false
                HRM-0/180d/2a39 GattCharacteristic1 MTU q 517
                @5.82+ HRM-0/180d/2a37/2902 GattDescriptor1 Handle q 17
                HRM-0/180d/2a37/2902 GattDescriptor1 UUID s 2902
                HRM-0/180d/2a37/2902 GattDescriptor1 Characteristic o HRM-0/180d/2a37
                HRM-0/180d/2a37/2902 GattDescriptor1 Value ay <>
                HRM-0 Battery1 Percentage y 90
                HRM-0 Battery1 Source s GATT Battery Service
                """
        ) { trial in
            trial.first.describe("HRM-0/180d", "GattService1")
            for characteristic in ["2a37", "2a38", "2a39"] {
                trial.first.describe("HRM-0/180d/\(characteristic)", "GattCharacteristic1")
            }
            trial.first.describe("HRM-0/180d/2a37/2902", "GattDescriptor1")
            trial.first.describe("HRM-0", "Battery1")
        },
        Behaviour(
            "Connect fails while another client connects", 76,
            transcript: """
                TWINS Device1 Connected=true
                @5.87 TWINS LE1 Connected=true
                TWINS Connect -> ok
                @5.82+ added TWINS/1800: Introspectable GattService1 Properties
                @5.82+ added TWINS/1800/2a00: Introspectable GattCharacteristic1 Properties
                @5.82+ added TWINS/1800/2a01: Introspectable GattCharacteristic1 Properties
                added TWINS/1801: Introspectable GattService1 Properties
                added TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0: Introspectable GattService1 Properties
                added TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0#2: Introspectable GattService1 Properties
                added TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS Device1 UUIDs=[1800, 1801, ffd0] ServicesResolved=true
                @5.66 B: TWINS Connect -> error org.bluez.Error.Failed "Operation already in progress"
                @5.82+ B: TWINS Connect -> error org.bluez.Error.InProgress "In Progress"
                """
        ) { trial in
            trial.discover("TWINS")
            let other = trial.another("B")
            let connecting = trial.first.begin("TWINS", "Device1.Connect")
            other.call("TWINS", "Device1.Connect")
            trial.wait { !connecting.isOpen }
            trial.first.until("ServicesResolved=true")
        },
        Behaviour(
            "Connect sets Connected, replies, adds the services and sets ServicesResolved", 70,
            transcript: """
                TWINS Device1 Connected=true
                @5.87 TWINS LE1 Connected=true
                TWINS Connect -> ok
                @5.82+ added TWINS/1800: Introspectable GattService1 Properties
                @5.82+ added TWINS/1800/2a00: Introspectable GattCharacteristic1 Properties
                @5.82+ added TWINS/1800/2a01: Introspectable GattCharacteristic1 Properties
                added TWINS/1801: Introspectable GattService1 Properties
                added TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0: Introspectable GattService1 Properties
                added TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0#2: Introspectable GattService1 Properties
                added TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS Device1 UUIDs=[1800, 1801, ffd0] ServicesResolved=true
                """
        ) { trial in
            trial.aside { trial.find("TWINS") }
            trial.watch("TWINS", hiding: ["RSSI", "ManufacturerData"])
            trial.first.call("TWINS", "Device1.Connect")
            trial.first.until("ServicesResolved=true")
        },
        Behaviour(
            "A connected device has these properties and types", 55, 58,
            linkedTo: "TWINS",
            transcript: """
                TWINS Device1 Address s F0:F1:F2:F3:F4:10
                TWINS Device1 AddressType s random
                TWINS Device1 Name s TWINS
                TWINS Device1 Alias s TWINS
                TWINS Device1 Paired b false
                TWINS Device1 Bonded b false
                TWINS Device1 Trusted b false
                TWINS Device1 Blocked b false
                TWINS Device1 LegacyPairing b false
                @5.87 TWINS Device1 CablePairing b false
                TWINS Device1 Connected b true
                TWINS Device1 UUIDs as [1800, 1801, ffd0]
                TWINS Device1 Adapter o hci0
                TWINS Device1 ManufacturerData a{qv} {76: <01 02 03 04 05>}
                TWINS Device1 ServicesResolved b true
                TWINS Device1 AdvertisingFlags ay <06>
                """
        ) { trial in
            trial.first.describe("TWINS", "Device1")
        },
        Behaviour(
            "The paths of attributes contain their handles", 110,
            linkedTo: "TWINS",
            transcript: """
                TWINS/1801: …/service0006
                TWINS/1801/2a05: …/service0006/char0007
                TWINS/1801/2a05/2902: …/service0006/char0007/desc0009
                TWINS/ffd0: …/service000e
                TWINS/ffd0/ffd1: …/service000e/char000f
                TWINS/ffd0#2: …/service0011
                TWINS/ffd0#2/ffd1: …/service0011/char0012
                """
        ) { trial in
            for object in ["1801", "1801/2a05", "1801/2a05/2902", "ffd0", "ffd0/ffd1", "ffd0#2", "ffd0#2/ffd1"] {
                let path = trial.names.path(of: "TWINS/\(object)")?.description ?? "none"
                trial.first.eventLog.write("TWINS/\(object): …\(path.dropFirst("/org/bluez/hci0/dev_".count + 17))")
            }
        },
        Behaviour(
            "Connect to a connected device replies at once", 71, 80,
            linkedTo: "TWINS",
            transcript: """
                TWINS Connect -> ok
                B: TWINS Connect -> ok
                """
        ) { trial in
            let other = trial.another("B")
            trial.first.call("TWINS", "Device1.Connect")
            other.call("TWINS", "Device1.Connect")
        },
        Behaviour(
            "Discovering stays true when a device connects during a scan", 41,
            transcript: """
                TWINS Device1 Connected=true
                @5.87 TWINS LE1 Connected=true
                TWINS Connect -> ok
                @5.82+ added TWINS/1800: Introspectable GattService1 Properties
                @5.82+ added TWINS/1800/2a00: Introspectable GattCharacteristic1 Properties
                @5.82+ added TWINS/1800/2a01: Introspectable GattCharacteristic1 Properties
                added TWINS/1801: Introspectable GattService1 Properties
                added TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0: Introspectable GattService1 Properties
                added TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0#2: Introspectable GattService1 Properties
                added TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS Device1 ServicesResolved=true
                hci0 Get org.bluez.Adapter1 Discovering -> true
                """
        ) { trial in
            trial.aside { trial.find("TWINS") }
            trial.watch("hci0", "TWINS", hiding: ["RSSI", "ManufacturerData", "UUIDs"])
            trial.first.call("TWINS", "Device1.Connect")
            trial.first.until("ServicesResolved=true")
            trial.pass(.seconds(1))
            trial.first.get("hci0", "Adapter1", "Discovering")
        },
        Behaviour(
            "ConnectDevice adds and connects a device by address", 83,
            transcript: """
                hci0 ConnectDevice {} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 ConnectDevice {Address: nonsense} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 ConnectDevice {Address: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 ConnectDevice {Address: F0:F1:F2:F3:F4:10, AddressType: x} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                @5.66,5.82 added TWINS: Introspectable Device1 Properties
                @5.87 added TWINS: Introspectable Device1 Properties LE1
                hci0 ConnectDevice {Address: F0:F1:F2:F3:F4:10, AddressType: random} -> TWINS
                @5.82+ added TWINS/1800: Introspectable GattService1 Properties
                @5.82+ added TWINS/1800/2a00: Introspectable GattCharacteristic1 Properties
                @5.82+ added TWINS/1800/2a01: Introspectable GattCharacteristic1 Properties
                added TWINS/1801: Introspectable GattService1 Properties
                added TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0: Introspectable GattService1 Properties
                added TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0#2: Introspectable GattService1 Properties
                added TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS Device1 ServicesResolved=true
                @5.66 hci0 ConnectDevice {Address: F0:F1:F2:F3:F4:10, AddressType: random} -> error org.bluez.Error.AlreadyExists "Already Exists"
                @5.82+ hci0 ConnectDevice {Address: F0:F1:F2:F3:F4:10, AddressType: random} -> error org.bluez.Error.Failed "Connect failed"
                """
        ) { trial in
            trial.watch("hci0", "TWINS", hiding: ["RSSI", "ManufacturerData", "UUIDs", "Name", "Alias"])
            let address = Value.string("F0:F1:F2:F3:F4:10")
            trial.first.call("hci0", "Adapter1.ConnectDevice", [String: Value]())
            trial.first.call("hci0", "Adapter1.ConnectDevice", ["Address": Value.string("nonsense")])
            trial.first.call("hci0", "Adapter1.ConnectDevice", ["Address": Value.uint32(1)])
            trial.first.call("hci0", "Adapter1.ConnectDevice", ["Address": address, "AddressType": .string("x")])
            trial.first.call("hci0", "Adapter1.ConnectDevice", ["Address": address, "AddressType": .string("random")])
            trial.first.until("ServicesResolved=true")
            trial.first.call("hci0", "Adapter1.ConnectDevice", ["Address": address, "AddressType": .string("random")])
        },
    ]
}
