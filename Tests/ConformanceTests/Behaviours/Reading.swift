import DBus

extension Behaviour {
    private static let none: [String: Value] = [:]

    /// Behaviours of reading characteristics and descriptors.
    static let reading = [
        Behaviour(
            "ReadValue signals the value before the reply", 95,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a38 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a38 ReadValue {} -> <01>
                HRM-0/180d/2a38 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a38 ReadValue {} -> <01>
                HRM-0/180d/2a38 Get org.bluez.GattCharacteristic1 Value -> <01>
                """
        ) { trial in
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", none)
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", none)
            trial.first.get("HRM-0/180d/2a38", "GattCharacteristic1", "Value")
        },
        Behaviour(
            "ReadValue accepts valid options and unknown ones, and refuses invalid ones", 96,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a38 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a38 ReadValue {offset: 0} -> <01>
                HRM-0/180d/2a38 ReadValue {offset: 2} -> error org.bluez.Error.InvalidArguments "Invalid offset"
                HRM-0/180d/2a38 ReadValue {offset: 0} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0/180d/2a38 ReadValue {offset: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0/180d/2a38 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a38 ReadValue {bogus: true} -> <01>
                HRM-0/180d/2a38 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a38 ReadValue {device: /x} -> <01>
                HRM-0/180d/2a38 ReadValue -> error org.freedesktop.DBus.Error.UnknownMethod "Method "ReadValue" with signature "" on interface "org.bluez.GattCharacteristic1" doesn't exist\\u{a}"
                """
        ) { trial in
            let options: [[String: Value]] = [
                ["offset": .uint16(0)], ["offset": .uint16(2)], ["offset": .uint32(0)],
                ["offset": .string("1")], ["bogus": .bool(true)], ["device": .objectPath("/x")],
            ]
            for options in options { trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", options) }
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue")
        },
        Behaviour(
            "Concurrent reads share one result, and a read with another offset fails", 94,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a38 ReadValue {offset: 2} -> error org.bluez.Error.InProgress "In Progress"
                HRM-0/180d/2a38 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a38 ReadValue {} -> <01>
                HRM-0/180d/2a38 ReadValue {} -> <01>
                """
        ) { trial in
            trial.first.together(
                ("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", [none]),
                ("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", [none]),
                ("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", [["offset": Value.uint16(2)]]))
        },
        Behaviour(
            "Reading and writing without a connection fail", 112,
            transcript: """
                HRM-0/180d/2a38 ReadValue {} -> error org.bluez.Error.Failed "Not connected"
                HRM-0/180d/2a39 WriteValue <01> {} -> error org.bluez.Error.Failed "Not connected"
                HRM-0/180d/2a37/2902 ReadValue {} -> error org.bluez.Error.Failed "Not connected"
                HRM-0/180d/2a37/2902 WriteValue <01 00> {} -> error org.bluez.Error.Failed "Not connected"
                HRM-0/180d/2a39 AcquireWrite {} -> error org.bluez.Error.Failed "Not connected"
                HRM-0/180d/2a37 AcquireNotify {} -> error org.bluez.Error.Failed "Not connected"
                @5.82+ HRM-0/180d/2a38 GattCharacteristic1 Handle q 18
                HRM-0/180d/2a38 GattCharacteristic1 UUID s 2a38
                HRM-0/180d/2a38 GattCharacteristic1 Service o HRM-0/180d
                HRM-0/180d/2a38 GattCharacteristic1 Value ay <>
                HRM-0/180d/2a38 GattCharacteristic1 Flags as [read]
                """
        ) { trial in
            trial.connect("HRM-0")
            trial.aside {
                trial.first.call("HRM-0", "Device1.Disconnect")
                trial.first.until("Connected=false")
            }
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", none)
            trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [UInt8]([1]), none)
            trial.first.call("HRM-0/180d/2a37/2902", "GattDescriptor1.ReadValue", none)
            trial.first.call("HRM-0/180d/2a37/2902", "GattDescriptor1.WriteValue", [UInt8]([1, 0]), none)
            trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.AcquireWrite", none)
            trial.first.call("HRM-0/180d/2a37", "GattCharacteristic1.AcquireNotify", none)
            trial.first.describe("HRM-0/180d/2a38", "GattCharacteristic1")
        },
        Behaviour(
            "Descriptors are read, and writing 2902 is not permitted", 108,
            transcript: """
                HRM-0/180d/2a37/2902 GattDescriptor1 Value=<00 00>
                HRM-0/180d/2a37/2902 ReadValue {} -> <00 00>
                HRM-0/180d/2a37/2902 WriteValue <01 00> {} -> error org.bluez.Error.NotPermitted "Write not permitted"
                HRM-0/180d/2a37/2902 ReadValue {offset: 9} -> error org.bluez.Error.InvalidArguments "Invalid offset"
                """
        ) { trial in
            trial.connect("HRM-0")
            trial.first.call("HRM-0/180d/2a37/2902", "GattDescriptor1.ReadValue", none)
            trial.first.call("HRM-0/180d/2a37/2902", "GattDescriptor1.WriteValue", [UInt8]([1, 0]), none)
            trial.first.call("HRM-0/180d/2a37/2902", "GattDescriptor1.ReadValue", ["offset": Value.uint16(9)])
        },
    ]
}
