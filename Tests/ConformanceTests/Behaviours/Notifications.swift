import DBus

extension Behaviour {
    private static let beat = "HRM-0/180d/2a37"

    /// Behaviours of notifications over signals.
    static let notifications = [
        Behaviour(
            "StartNotify and StopNotify reply and change Notifying", 102,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=true
                HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 GattCharacteristic1 Value=<beat> …
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=false
                HRM-0/180d/2a37 StopNotify -> ok
                """
        ) { trial in
            trial.first.call(beat, "GattCharacteristic1.StartNotify")
            trial.first.until("Value", times: 2)
            trial.flush()
            trial.watch("HRM-0", hiding: ["Value"])
            trial.first.call(beat, "GattCharacteristic1.StopNotify")
            trial.first.until("Notifying=false")
        },
        Behaviour(
            "A second StartNotify succeeds and a second StopNotify fails", 103, 104,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 StopNotify -> error org.bluez.Error.Failed "No notify session started"
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=true
                HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=false
                HRM-0/180d/2a37 StopNotify -> ok
                HRM-0/180d/2a37 StopNotify -> error org.bluez.Error.Failed "No notify session started"
                """
        ) { trial in
            trial.watch("HRM-0", hiding: ["Value"])
            for method in ["StopNotify", "StartNotify", "StartNotify", "StopNotify", "StopNotify"] {
                trial.first.call(beat, "GattCharacteristic1.\(method)")
            }
        },
        Behaviour(
            "Two clients have separate notify sessions", 103,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=true
                HRM-0/180d/2a37 StartNotify -> ok
                B: HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 StopNotify -> ok
                HRM-0/180d/2a37 Get org.bluez.GattCharacteristic1 Notifying -> true
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=false
                B: HRM-0/180d/2a37 StopNotify -> ok
                """
        ) { trial in
            trial.watch("HRM-0", hiding: ["Value"])
            let other = trial.another("B")
            trial.first.call(beat, "GattCharacteristic1.StartNotify")
            other.call(beat, "GattCharacteristic1.StartNotify")
            trial.flush()
            trial.first.call(beat, "GattCharacteristic1.StopNotify")
            trial.first.get(beat, "GattCharacteristic1", "Notifying")
            trial.flush()
            other.call(beat, "GattCharacteristic1.StopNotify")
            trial.first.until("Notifying=false")
        },
        Behaviour(
            "A notify session ends when its client leaves the bus", 103,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=true
                B: HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=false
                """
        ) { trial in
            trial.watch("HRM-0", hiding: ["Value"])
            let other = trial.another("B")
            other.call(beat, "GattCharacteristic1.StartNotify")
            trial.flush()
            other.leave()
            trial.first.until("Notifying=false")
        },
        Behaviour(
            "StartNotify fails on a characteristic without notifications", 108,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a38 StartNotify -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a38 StopNotify -> error org.bluez.Error.Failed "No notify session started"
                """
        ) { trial in
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.StartNotify")
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.StopNotify")
        },
        Behaviour(
            "Notifications change the value of the descriptor 2902", 108,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37/2902 GattDescriptor1 Value=<01 00>
                HRM-0/180d/2a37/2902 ReadValue {} -> <01 00>
                HRM-0/180d/2a37 StopNotify -> ok
                HRM-0/180d/2a37/2902 GattDescriptor1 Value=<00 00>
                HRM-0/180d/2a37/2902 ReadValue {} -> <00 00>
                """
        ) { trial in
            trial.watch("HRM-0/180d/2a37/2902")
            trial.first.call(beat, "GattCharacteristic1.StartNotify")
            trial.first.call("\(beat)/2902", "GattDescriptor1.ReadValue", [String: Value]())
            trial.first.call(beat, "GattCharacteristic1.StopNotify")
            trial.pass(.milliseconds(500))
            trial.first.call("\(beat)/2902", "GattDescriptor1.ReadValue", [String: Value]())
        },
        Behaviour(
            "Notifications resume with the next connection to the device", 103, 104,
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
                HRM-0/180d/2a37 Get org.bluez.GattCharacteristic1 Notifying -> true
                HRM-0 Device1 Connected=true
                @5.87 HRM-0 LE1 Connected=true
                HRM-0 Connect -> ok
                added HRM-0: Battery1
                HRM-0 Device1 ServicesResolved=true
                HRM-0/180d/2a37 GattCharacteristic1 Value=<beat> …
                """
        ) { trial in
            trial.watch("HRM-0", hiding: ["Value"])
            trial.aside { trial.first.call(beat, "GattCharacteristic1.StartNotify") }
            trial.first.call("HRM-0", "Device1.Disconnect")
            trial.first.until("Connected=false")
            trial.first.get(beat, "GattCharacteristic1", "Notifying")
            trial.flush()
            trial.first.call("HRM-0", "Device1.Connect")
            trial.first.until("ServicesResolved=true")
            trial.aside {}
            trial.watch("HRM-0/180d")
            trial.first.until("Value", times: 2)
        },
        Behaviour(
            "StartNotify without a connection succeeds and does not set Notifying", 104,
            transcript: """
                HRM-0/180d/2a37 StopNotify -> error org.bluez.Error.Failed "No notify session started"
                HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 Get org.bluez.GattCharacteristic1 Notifying -> false
                HRM-0/180d/2a37 StopNotify -> ok
                HRM-0/180d/2a37 Get org.bluez.GattCharacteristic1 Notifying -> false
                """
        ) { trial in
            trial.connect("HRM-0")
            trial.aside {
                trial.first.call("HRM-0", "Device1.Disconnect")
                trial.first.until("Connected=false")
            }
            trial.first.call(beat, "GattCharacteristic1.StopNotify")
            trial.first.call(beat, "GattCharacteristic1.StartNotify")
            trial.first.get(beat, "GattCharacteristic1", "Notifying")
            trial.first.call(beat, "GattCharacteristic1.StopNotify")
            trial.first.get(beat, "GattCharacteristic1", "Notifying")
        },
    ]
}
