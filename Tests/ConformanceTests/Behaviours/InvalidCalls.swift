import DBus

extension Behaviour {
    private static let properties = "org.freedesktop.DBus.Properties."
    private static let none: [String: Value] = [:]

    /// Behaviours of calls with unknown names or invalid arguments.
    static let invalidCalls = [
        Behaviour(
            "Calls of unknown methods, interfaces and objects fail", 82,
            transcript: #"""
                hci0 Bogus -> error org.freedesktop.DBus.Error.UnknownMethod "Method "Bogus" with signature "" on interface "org.bluez.Adapter1" doesn't exist\u{a}"
                hci0 StartDiscovery x -> error org.freedesktop.DBus.Error.UnknownMethod "Method "StartDiscovery" with signature "s" on interface "org.bluez.Adapter1" doesn't exist\u{a}"
                hci0 Connect -> error org.freedesktop.DBus.Error.UnknownMethod "Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist\u{a}"
                /org Connect -> error org.freedesktop.DBus.Error.UnknownMethod "Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist\u{a}"
                /nope Connect -> error org.freedesktop.DBus.Error.UnknownObject "Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist\u{a}"
                """#
        ) { trial in
            trial.first.call("hci0", "Adapter1.Bogus")
            trial.first.call("hci0", "Adapter1.StartDiscovery", "x")
            trial.first.call("hci0", "Device1.Connect")
            trial.first.call("/org", "Device1.Connect")
            trial.first.call("/nope", "Device1.Connect")
        },
        Behaviour(
            "Unknown, read-only and wrongly typed properties fail", 22,
            transcript: """
                hci0 Get org.bluez.Nope X -> error org.freedesktop.DBus.Error.InvalidArgs "No such interface 'org.bluez.Nope'"
                hci0 Get org.bluez.Adapter1 X -> error org.freedesktop.DBus.Error.InvalidArgs "No such property 'X'"
                hci0 Get org.freedesktop.DBus.Properties X -> error org.freedesktop.DBus.Error.InvalidArgs "No such property 'X'"
                hci0 GetAll org.bluez.Nope -> error org.freedesktop.DBus.Error.InvalidArgs "No such interface 'org.bluez.Nope'"
                hci0 GetAll org.freedesktop.DBus.Introspectable -> {}
                hci0 Set org.bluez.Nope X x -> error org.freedesktop.DBus.Error.InvalidArgs "No such interface 'org.bluez.Nope'"
                hci0 Set org.bluez.Adapter1 X x -> error org.freedesktop.DBus.Error.UnknownProperty "No such property 'X'"
                hci0 Set org.freedesktop.DBus.Properties X x -> error org.freedesktop.DBus.Error.UnknownProperty "No such property 'X'"
                hci0 Set org.bluez.Adapter1 Address x -> error org.freedesktop.DBus.Error.PropertyReadOnly "Property 'Address' is not writable"
                hci0 Set org.bluez.Adapter1 Powered x -> error org.freedesktop.DBus.Error.InvalidSignature "Invalid signature for 'Powered'"
                """
        ) { trial in
            let client = trial.first
            client.get("hci0", "Nope", "X")
            client.get("hci0", "Adapter1", "X")
            client.get("hci0", "org.freedesktop.DBus.Properties", "X")
            client.call("hci0", properties + "GetAll", "org.bluez.Nope")
            client.call("hci0", properties + "GetAll", "org.freedesktop.DBus.Introspectable")
            client.set("hci0", "Nope", "X", "x")
            client.set("hci0", "Adapter1", "X", "x")
            client.set("hci0", "org.freedesktop.DBus.Properties", "X", "x")
            client.set("hci0", "Adapter1", "Address", "x")
            client.set("hci0", "Adapter1", "Powered", "x")
        },
        Behaviour(
            "RemoveDevice and ConnectDevice refuse invalid arguments",
            transcript: """
                hci0 RemoveDevice / -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                hci0 RemoveDevice hci0 -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                hci0 ConnectDevice {} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 ConnectDevice {Address: rubbish} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 ConnectDevice {Nope: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                """
        ) { trial in
            for path in ["/", "/org/bluez/hci0"] {
                trial.first.call("hci0", "Adapter1.RemoveDevice", Value.objectPath(ObjectPath(path) ?? .root))
            }
            for arguments in [[:], ["Address": .string("rubbish")], ["Nope": .byte(1)]] as [[String: Value]] {
                trial.first.call("hci0", "Adapter1.ConnectDevice", arguments)
            }
        },
        Behaviour(
            "ConnectProfile and DisconnectProfile fail for a Low Energy device", 83,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0 ConnectProfile  -> error org.bluez.Error.Failed "br-connection-sdp-search"
                @5.66 HRM-0 ConnectProfile rubbish -> error org.bluez.Error.Failed "br-connection-sdp-search"
                @5.82+ HRM-0 ConnectProfile rubbish -> error org.bluez.Error.InvalidArguments "br-connection-invalid-argument"
                HRM-0 ConnectProfile 180d -> error org.bluez.Error.Failed "br-connection-sdp-search"
                HRM-0 DisconnectProfile rubbish -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0 DisconnectProfile 180d -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                """
        ) { trial in
            for uuid in ["", "rubbish", "180d"] { trial.first.call("HRM-0", "Device1.ConnectProfile", uuid) }
            for uuid in ["rubbish", "180d"] { trial.first.call("HRM-0", "Device1.DisconnectProfile", uuid) }
        },
        Behaviour(
            "Options of a wrong type and empty long writes fail", 98, 99,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a38 ReadValue {offset: x} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0/180d/2a39 WriteValue <01> {type: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0/180d/2a39 WriteValue <01> {type: rubbish} -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a39 WriteValue <> {type: reliable} -> error org.bluez.Error.Failed "Failed to initiate write"
                HRM-0/180d/2a39 WriteValue <> {offset: 1} -> error org.bluez.Error.Failed "Failed to initiate write"
                HRM-0/180d/2a37/2902 WriteValue <01> {type: 1} -> error org.bluez.Error.NotPermitted "Write not permitted"
                """
        ) { trial in
            let point = "HRM-0/180d/2a39"
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.ReadValue", ["offset": Value.string("x")])
            for type in [Value.byte(1), .string("rubbish")] {
                trial.first.call(point, "GattCharacteristic1.WriteValue", [UInt8]([1]), ["type": type])
            }
            for options in [["type": .string("reliable")], ["offset": .uint16(1)]] as [[String: Value]] {
                trial.first.call(point, "GattCharacteristic1.WriteValue", [UInt8](), options)
            }
            trial.first.call(
                "HRM-0/180d/2a37/2902", "GattDescriptor1.WriteValue", [UInt8]([1]), ["type": Value.byte(1)])
        },
    ]
}
