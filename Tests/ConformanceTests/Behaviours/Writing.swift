import DBus

extension Behaviour {
    private static let none: [String: Value] = [:]

    /// Behaviours of writing characteristics.
    static let writing = [
        Behaviour(
            "WriteValue accepts the types request, command and reliable in any case", 98,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a39 WriteValue <01> {type: request} -> ok
                HRM-0/180d/2a39 GattCharacteristic1 Value=<01>
                HRM-0/180d/2a39 ReadValue {} -> <01>
                HRM-0/180d/2a39 WriteValue <02> {type: command} -> ok
                HRM-0/180d/2a39 GattCharacteristic1 Value=<02>
                HRM-0/180d/2a39 ReadValue {} -> <02>
                HRM-0/180d/2a39 WriteValue <03> {type: reliable} -> ok
                HRM-0/180d/2a39 GattCharacteristic1 Value=<03>
                HRM-0/180d/2a39 ReadValue {} -> <03>
                HRM-0/180d/2a39 WriteValue <04> {type: Request} -> ok
                HRM-0/180d/2a39 GattCharacteristic1 Value=<04>
                HRM-0/180d/2a39 ReadValue {} -> <04>
                HRM-0/180d/2a39 WriteValue <05> {type: bogus} -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a39 GattCharacteristic1 Value=<04>
                HRM-0/180d/2a39 ReadValue {} -> <04>
                HRM-0/180d/2a39 WriteValue <06> {type: } -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a39 GattCharacteristic1 Value=<04>
                HRM-0/180d/2a39 ReadValue {} -> <04>
                HRM-0/180d/2a39 WriteValue <09> {} -> ok
                HRM-0/180d/2a39 GattCharacteristic1 Value=<09>
                HRM-0/180d/2a39 ReadValue {} -> <09>
                """
        ) { trial in
            for (number, kind) in ["request", "command", "reliable", "Request", "bogus", ""].enumerated() {
                trial.first.call(
                    "HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [UInt8(number + 1)],
                    ["type": Value.string(kind)])
                trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.ReadValue", none)
            }
            trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [UInt8]([9]), none)
            trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.ReadValue", none)
        },
        Behaviour(
            "WriteValue refuses options of a wrong type and ignores unknown ones", 98, 99,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a39 WriteValue <07> {type: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0/180d/2a39 WriteValue <07> {offset: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                HRM-0/180d/2a39 WriteValue <07> {offset: 1, type: command} -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a39 WriteValue <07> {bogus: true} -> ok
                HRM-0/180d/2a39 WriteValue <07> {prepare-authorize: x} -> ok
                HRM-0/180d/2a39 WriteValue text {} -> error org.freedesktop.DBus.Error.UnknownMethod "Method "WriteValue" with signature "sa{sv}" on interface "org.bluez.GattCharacteristic1" doesn't exist\\u{a}"
                HRM-0/180d/2a39 WriteValue <07> -> error org.freedesktop.DBus.Error.UnknownMethod "Method "WriteValue" with signature "ay" on interface "org.bluez.GattCharacteristic1" doesn't exist\\u{a}"
                """
        ) { trial in
            let options: [[String: Value]] = [
                ["type": .uint32(1)], ["offset": .string("1")], ["offset": .uint16(1), "type": .string("command")],
                ["bogus": .bool(true)], ["prepare-authorize": .string("x")],
            ]
            for options in options {
                trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [UInt8]([7]), options)
            }
            trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", "text", none)
            trial.first.call("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [UInt8]([7]))
        },
        Behaviour(
            "WriteValue to a notify-only characteristic fails, except as a command", 96, 98,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 WriteValue <07> {} -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a37 WriteValue <07> {type: command} -> ok
                """
        ) { trial in
            // The peripheral refuses the write request. A write command has no reply, so bluetoothd returns success.
            for options in [none, ["type": .string("command")]] {
                trial.first.call("HRM-0/180d/2a37", "GattCharacteristic1.WriteValue", [UInt8]([7]), options)
            }
        },
        Behaviour(
            "A write command that exceeds the MTU fails", 99,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a39 WriteValue <515 bytes> {type: command} -> error org.bluez.Error.Failed "Failed to initiate write"
                """
        ) { trial in
            let long = Value.bytes([UInt8](repeating: 1, count: 515))
            let reply = trial.first.begin(
                "HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", long, ["type": Value.string("command")])
            trial.wait { !reply.isOpen }
        },
        Behaviour(
            "The second of two concurrent writes to an attribute fails with InProgress", 94,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a39 WriteValue <02> {type: request} -> error org.bluez.Error.InProgress "In Progress"
                HRM-0/180d/2a39 WriteValue <01> {type: request} -> ok
                """
        ) { trial in
            let request = ["type": Value.string("request")]
            trial.first.together(
                ("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [[UInt8]([1]), request]),
                ("HRM-0/180d/2a39", "GattCharacteristic1.WriteValue", [[UInt8]([2]), request]))
        },
    ]
}
