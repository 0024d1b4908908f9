import DBus

extension Behaviour {
    private static let none: [String: Value] = [:]
    private static let beat = "HRM-0/180d/2a37"
    private static let point = "HRM-0/180d/2a39"

    /// Behaviours of sockets for writes and notifications.
    static let sockets = [
        Behaviour(
            "AcquireWrite returns a socket and excludes WriteValue until it is closed", 100,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a39 GattCharacteristic1 WriteAcquired=true
                HRM-0/180d/2a39 AcquireWrite {} -> a socket, MTU 517
                HRM-0/180d/2a39 AcquireWrite {} -> error org.bluez.Error.NotPermitted "Write acquired"
                HRM-0/180d/2a39 WriteValue <01> {} -> error org.bluez.Error.NotPermitted "Write acquired"
                HRM-0/180d/2a39 GattCharacteristic1 Value=<2a>
                HRM-0/180d/2a39 ReadValue {} -> <2a>
                HRM-0/180d/2a39 GattCharacteristic1 WriteAcquired=false
                HRM-0/180d/2a39 WriteValue <01> {} -> ok
                """
        ) { trial in
            let reply = trial.first.call(point, "GattCharacteristic1.AcquireWrite", none)
            trial.first.call(point, "GattCharacteristic1.AcquireWrite", none)
            trial.first.call(point, "GattCharacteristic1.WriteValue", [UInt8]([1]), none)
            reply.send([0x2A])
            trial.pass(.milliseconds(500))
            trial.first.call(point, "GattCharacteristic1.ReadValue", none)
            reply.forget()
            trial.first.until("WriteAcquired=false")
            trial.first.call(point, "GattCharacteristic1.WriteValue", [UInt8]([1]), none)
        },
        Behaviour(
            "AcquireNotify and StartNotify exclude each other", 105,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 GattCharacteristic1 NotifyAcquired=true
                HRM-0/180d/2a37 AcquireNotify {} -> a socket, MTU 517
                HRM-0/180d/2a37 AcquireNotify {} -> error org.bluez.Error.NotPermitted "Notify acquired"
                HRM-0/180d/2a37 StartNotify -> error org.bluez.Error.NotPermitted "Notify acquired"
                HRM-0/180d/2a37 GattCharacteristic1 NotifyAcquired=false
                HRM-0/180d/2a37 GattCharacteristic1 Notifying=true
                HRM-0/180d/2a37 StartNotify -> ok
                HRM-0/180d/2a37 AcquireNotify {} -> error org.bluez.Error.InProgress "In Progress"
                """
        ) { trial in
            trial.watch("HRM-0", hiding: ["Value"])
            let reply = trial.first.call(beat, "GattCharacteristic1.AcquireNotify", none)
            trial.first.call(beat, "GattCharacteristic1.AcquireNotify", none)
            trial.first.call(beat, "GattCharacteristic1.StartNotify")
            reply.forget()
            trial.first.until("NotifyAcquired=false")
            trial.first.call(beat, "GattCharacteristic1.StartNotify")
            trial.first.call(beat, "GattCharacteristic1.AcquireNotify", none)
        },
        Behaviour(
            "StopNotify of another client closes an acquired socket", 107,
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a37 GattCharacteristic1 NotifyAcquired=true
                HRM-0/180d/2a37 AcquireNotify {} -> a socket, MTU 517
                HRM-0/180d/2a37 GattCharacteristic1 NotifyAcquired=false
                B: HRM-0/180d/2a37 StopNotify -> ok
                """
        ) { trial in
            trial.first.call(beat, "GattCharacteristic1.AcquireNotify", none)
            trial.another("B").call(beat, "GattCharacteristic1.StopNotify")
            trial.first.until("NotifyAcquired=false")
        },
        Behaviour(
            "Acquiring a socket of a characteristic without support fails",
            linkedTo: "HRM-0",
            transcript: """
                HRM-0/180d/2a38 AcquireWrite {} -> error org.bluez.Error.NotSupported "Operation is not supported"
                HRM-0/180d/2a38 AcquireNotify {} -> error org.bluez.Error.NotSupported "Operation is not supported"
                """
        ) { trial in
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.AcquireWrite", none)
            trial.first.call("HRM-0/180d/2a38", "GattCharacteristic1.AcquireNotify", none)
        },
        Behaviour(
            "Disconnect closes acquired sockets", 107,
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
                HRM-0/180d/2a39 GattCharacteristic1 WriteAcquired=false
                HRM-0/180d/2a37 GattCharacteristic1 NotifyAcquired=false
                """
        ) { trial in
            trial.aside {
                trial.first.call(point, "GattCharacteristic1.AcquireWrite", none)
                trial.first.call(beat, "GattCharacteristic1.AcquireNotify", none)
            }
            trial.first.call("HRM-0", "Device1.Disconnect")
            trial.first.until("Connected=false")
        },
    ]
}
