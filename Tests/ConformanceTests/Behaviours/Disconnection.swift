extension Behaviour {
    /// Links that go.
    static let disconnection = [
        Behaviour(
            "Disconnect: the order of ServicesResolved, the reply and Connected", 84,
            transcript: """
                TWINS Device1 ServicesResolved=false
                TWINS Disconnect -> ok
                TWINS Device1 Connected=false
                """
        ) { trial in
            trial.connect("TWINS")
            trial.first.call("TWINS", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
        Behaviour(
            "Disconnect of a device with a battery", 84,
            transcript: """
                removed HRM-0: Battery1
                HRM-0 Device1 ServicesResolved=false
                HRM-0 Disconnect -> ok
                HRM-0 Device1 Connected=false
                """
        ) { trial in
            trial.connect("HRM-0")
            trial.first.call("HRM-0", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
        Behaviour(
            "Disconnect without a link",
            transcript: """
                TWINS Disconnect -> ok
                """
        ) { trial in
            trial.discover("TWINS")
            trial.first.call("TWINS", "Device1.Disconnect")
        },
        Behaviour(
            "Disconnect ends an attempt to connect", 79,
            transcript: """
                TWINS Connect -> error org.bluez.Error.Failed "br-connection-canceled"
                TWINS Disconnect -> ok
                """
        ) { trial in
            trial.discover("TWINS")
            let connecting = trial.first.begin("TWINS", "Device1.Connect")
            trial.first.call("TWINS", "Device1.Disconnect")
            trial.wait { !connecting.isOpen }
        },
        Behaviour(
            "the peripheral drops the link", 86,
            transcript: """
                FLAKY Device1 Connected=true
                FLAKY Connect -> ok
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
                FLAKY Device1 ServicesResolved=false Connected=false
                removed FLAKY: Battery1
                """
        ) { trial in
            trial.discover("FLAKY")
            trial.watch("FLAKY", hiding: ["Percentage"])
            trial.first.call("FLAKY", "Device1.Connect")
            trial.first.until("Connected=false")
        },
        Behaviour(
            "another client disconnects", 74,
            transcript: """
                TWINS Device1 ServicesResolved=false
                TWINS Device1 Connected=false
                B: TWINS Disconnect -> ok
                """
        ) { trial in
            trial.connect("TWINS")
            trial.another("B").call("TWINS", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
    ]
}
