import DBus

extension Behaviour {
    /// Behaviours of disconnecting, link loss and reconnecting.
    static let disconnection = [
        Behaviour(
            "A second connection to a device adds no service objects", 93,
            linkedTo: "TWINS",
            transcript: """
                TWINS Device1 Connected=true
                @5.87 TWINS LE1 Connected=true
                TWINS Connect -> ok
                TWINS Device1 ServicesResolved=true
                """
        ) { trial in
            trial.aside { trial.first.call("TWINS", "Device1.Disconnect") }
            trial.first.call("TWINS", "Device1.Connect")
            trial.first.until("ServicesResolved=true")
        },
        Behaviour(
            "A client can disconnect the connection of another client", 74,
            linkedTo: "TWINS",
            transcript: """
                @5.66,5.87 TWINS Device1 ServicesResolved=false
                @5.87 TWINS LE1 Connected=false
                @5.87 signal TWINS Disconnected org.bluez.Reason.Local Connection terminated by local host …
                @5.66,5.87 TWINS Device1 Connected=false
                @5.82 TWINS Device1 ServicesResolved=false Connected=false
                B: TWINS Disconnect -> ok
                """
        ) { trial in
            trial.another("B").call("TWINS", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
        Behaviour(
            "Disconnect without a connection succeeds",
            transcript: """
                TWINS Disconnect -> ok
                """
        ) { trial in
            trial.discover("TWINS")
            trial.first.call("TWINS", "Device1.Disconnect")
        },
        Behaviour(
            "Disconnect cancels a connection attempt", 79,
            transcript: """
                TWINS Connect -> error org.bluez.Error.Failed "br-connection-canceled"
                TWINS Disconnect -> ok
                @5.82 removed TWINS: Properties Introspectable Device1
                @5.87 removed TWINS: Properties Introspectable Device1 LE1
                """
        ) { trial in
            trial.discover("TWINS")
            let connecting = trial.first.begin("TWINS", "Device1.Connect")
            trial.first.call("TWINS", "Device1.Disconnect")
            trial.wait { !connecting.isOpen }
            // The kernel decides whether bluetoothd then removes the device.
            trial.pass(.seconds(3))
        },
        Behaviour(
            "Disconnect clears ServicesResolved and Connected", 84,
            linkedTo: "TWINS",
            transcript: """
                @5.66,5.87 TWINS Device1 ServicesResolved=false
                @5.82 TWINS Device1 ServicesResolved=false Connected=false
                @5.66,5.82 TWINS Disconnect -> ok
                @5.87 TWINS LE1 Connected=false
                @5.87 signal TWINS Disconnected org.bluez.Reason.Local Connection terminated by local host …
                @5.66,5.87 TWINS Device1 Connected=false
                @5.87 TWINS Disconnect -> ok
                """
        ) { trial in
            trial.first.call("TWINS", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
        Behaviour(
            "RemoveDevice disconnects a device and removes its objects", 61,
            linkedTo: "TWINS",
            transcript: """
                @5.66,5.87 TWINS Device1 ServicesResolved=false
                @5.82 TWINS Device1 ServicesResolved=false Connected=false
                @5.66,5.82 hci0 RemoveDevice TWINS -> ok
                @5.87 TWINS LE1 Connected=false
                @5.87 signal TWINS Disconnected org.bluez.Reason.Local Connection terminated by local host …
                @5.66,5.87 TWINS Device1 Connected=false
                @5.87 hci0 RemoveDevice TWINS -> ok
                @5.82+ removed TWINS/1800/2a00: Properties Introspectable GattCharacteristic1
                @5.82+ removed TWINS/1800/2a01: Properties Introspectable GattCharacteristic1
                @5.82+ removed TWINS/1800: Properties Introspectable GattService1
                removed TWINS/1801/2a05/2902: Properties Introspectable GattDescriptor1
                removed TWINS/1801/2a05: Properties Introspectable GattCharacteristic1
                removed TWINS/1801/2b29: Properties Introspectable GattCharacteristic1
                removed TWINS/1801/2b2a: Properties Introspectable GattCharacteristic1
                removed TWINS/1801: Properties Introspectable GattService1
                removed TWINS/ffd0/ffd1: Properties Introspectable GattCharacteristic1
                removed TWINS/ffd0: Properties Introspectable GattService1
                removed TWINS/ffd0#2/ffd1: Properties Introspectable GattCharacteristic1
                removed TWINS/ffd0#2: Properties Introspectable GattService1
                @5.66,5.82 removed TWINS: Properties Introspectable Device1
                @5.87 removed TWINS: Properties Introspectable Device1 LE1
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.RemoveDevice", Value.objectPath(trial.names.path(of: "TWINS") ?? .root))
            trial.first.until("removed TWINS:")
        },
        Behaviour(
            "Disconnect of a device with a battery removes Battery1 first", 84,
            linkedTo: "HRM-0",
            transcript: """
                removed HRM-0: Battery1
                @5.66,5.87 HRM-0 Device1 ServicesResolved=false
                @5.82 HRM-0 Device1 ServicesResolved=false Connected=false
                @5.66,5.82 HRM-0 Disconnect -> ok
                @5.87 HRM-0 LE1 Connected=false
                @5.87 signal HRM-0 Disconnected org.bluez.Reason.Local Connection terminated by local host …
                @5.66,5.87 HRM-0 Device1 Connected=false
                @5.87 HRM-0 Disconnect -> ok
                """
        ) { trial in
            trial.first.call("HRM-0", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
        Behaviour(
            "Link loss clears ServicesResolved and Connected", 86,
            transcript: """
                FLAKY Device1 Connected=true
                @5.87 FLAKY LE1 Connected=true
                FLAKY Connect -> ok
                @5.82+ added FLAKY/1800: Introspectable GattService1 Properties
                @5.82+ added FLAKY/1800/2a00: Introspectable GattCharacteristic1 Properties
                @5.82+ added FLAKY/1800/2a01: Introspectable GattCharacteristic1 Properties
                added FLAKY/1801: Introspectable GattService1 Properties
                added FLAKY/1801/2a05: Introspectable GattCharacteristic1 Properties
                added FLAKY/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added FLAKY/1801/2b29: Introspectable GattCharacteristic1 Properties
                added FLAKY/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added FLAKY/180d: Introspectable GattService1 Properties
                added FLAKY/180d/2a37: Introspectable GattCharacteristic1 Properties
                added FLAKY/180d/2a37/2902: Introspectable GattDescriptor1 Properties
                added FLAKY/180d/2a38: Introspectable GattCharacteristic1 Properties
                added FLAKY/180d/2a39: Introspectable GattCharacteristic1 Properties
                added FLAKY/180f: Introspectable GattService1 Properties
                added FLAKY/180f/2a19: Introspectable GattCharacteristic1 Properties
                added FLAKY/180f/2a19/2902: Introspectable GattDescriptor1 Properties
                FLAKY Device1 UUIDs=[1800, 1801, 180d, 180f] ServicesResolved=true
                added FLAKY: Battery1
                @5.66,5.82 FLAKY Device1 ServicesResolved=false Connected=false
                @5.87 FLAKY Device1 ServicesResolved=false
                @5.87 FLAKY LE1 Connected=false
                @5.87 signal FLAKY Disconnected org.bluez.Reason.Remote Connection terminated by remote user …
                @5.87 FLAKY Device1 Connected=false
                removed FLAKY: Battery1
                """
        ) { trial in
            trial.discover("FLAKY")
            trial.watch("FLAKY", hiding: ["Percentage"])
            trial.first.call("FLAKY", "Device1.Connect")
            trial.first.until("Connected=false")
        },
    ]
}
