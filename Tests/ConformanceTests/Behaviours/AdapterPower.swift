import DBus

extension Behaviour {
    private static let none: [String: Value] = [:]
    private static let set = "org.freedesktop.DBus.Properties.Set"

    /// Behaviours of an adapter that is switched off and on, and of applications meanwhile.
    static let adapterPower = [
        Behaviour(
            "Powered can be set to false and true, and to its present value", 31,
            transcript: """
                hci0 Set org.bluez.Adapter1 Powered true -> ok
                hci0 Adapter1 PowerState=on-disabling
                hci0 Set org.bluez.Adapter1 Powered false -> ok
                hci0 Adapter1 PowerState=off Powered=false Discovering=false
                hci0 Set org.bluez.Adapter1 Powered false -> ok
                hci0 Adapter1 PowerState=off-enabling
                hci0 Set org.bluez.Adapter1 Powered true -> ok
                hci0 Adapter1 PowerState=on Powered=true
                """
        ) { trial in
            for isOn in [true, false, false, true] {
                trial.first.set("hci0", "Adapter1", "Powered", isOn)
                trial.pass(.seconds(1))
                trial.flush()
            }
        },
        Behaviour(
            "Setting Powered fails with Busy while it is being set",
            transcript: """
                hci0 Adapter1 PowerState=on-disabling
                hci0 Set org.bluez.Adapter1 Powered false -> error org.bluez.Error.Busy
                hci0 Set org.bluez.Adapter1 Powered true -> error org.bluez.Error.Busy
                hci0 Set org.bluez.Adapter1 Powered false -> ok
                hci0 Adapter1 PowerState=off Powered=false Discovering=false
                hci0 Adapter1 PowerState=off-enabling
                hci0 Set org.bluez.Adapter1 Powered true -> ok
                hci0 Adapter1 PowerState=on Powered=true
                """
        ) { trial in
            trial.first.together(
                ("hci0", set, ["org.bluez.Adapter1", "Powered", Value.variant(.bool(false))]),
                ("hci0", set, ["org.bluez.Adapter1", "Powered", Value.variant(.bool(false))]),
                ("hci0", set, ["org.bluez.Adapter1", "Powered", Value.variant(.bool(true))]))
            trial.pass(.seconds(1))
            trial.flush()
            trial.first.set("hci0", "Adapter1", "Powered", true)
            trial.pass(.seconds(1))
        },
        Behaviour(
            "While the adapter is off, applications are registered, and scans and connections fail", 25, 83,
            transcript: """
                hci0 StartDiscovery -> error org.bluez.Error.NotReady "Resource Not Ready"
                hci0 ConnectDevice {Address: F0:F1:F2:F3:F4:00, AddressType: random} -> error org.bluez.Error.NotReady "Resource Not Ready"
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 RegisterApplication /a {} -> ok
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 Adapter1 UUIDs=[built-in]
                hci0 UnregisterApplication /a -> ok
                hci0 Adapter1 UUIDs=[built-in]
                """
        ) { trial in
            let served = trial.first.serve(
                "/a", [ServedObject("/a/s", "GattService1", ["UUID": .string("fff0"), "Primary": .bool(true)])],
                noting: false)
            trial.aside {
                trial.first.set("hci0", "Adapter1", "Powered", false)
                trial.pass(.seconds(1))
            }
            let client = trial.first
            client.call("hci0", "Adapter1.StartDiscovery")
            client.call(
                "hci0", "Adapter1.ConnectDevice",
                ["Address": .string("F0:F1:F2:F3:F4:00"), "AddressType": .string("random")])
            client.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.pass(.seconds(1))
            trial.flush()
            trial.aside {
                trial.first.set("hci0", "Adapter1", "Powered", true)
                trial.pass(.seconds(1))
            }
            client.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            trial.pass(.seconds(1))
            trial.flush()
            served.end()
        },
        Behaviour(
            "Applications are unregistered only by their own client", 116,
            transcript: """
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 RegisterApplication /a {} -> ok
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 UnregisterApplication /a/s -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                hci0 Adapter1 UUIDs=[built-in]
                hci0 UnregisterApplication /a -> ok
                hci0 Adapter1 UUIDs=[built-in]
                B: hci0 UnregisterApplication /a -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                B: hci0 UnregisterApplication / -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                """
        ) { trial in
            let objects = [ServedObject("/a/s", "GattService1", ["UUID": .string("fff0"), "Primary": .bool(true)])]
            let served = trial.first.serve("/a", objects, noting: false)
            let other = trial.another("B")
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.pass(.seconds(1))
            trial.flush()
            other.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            other.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/"))
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a/s"))
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            trial.pass(.seconds(1))
            trial.flush()
            served.end()
        },
    ]
}
