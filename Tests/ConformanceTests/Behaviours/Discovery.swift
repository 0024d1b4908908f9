extension Behaviour {
    /// Scans.
    static let discovery = [
        Behaviour(
            "StartDiscovery and StopDiscovery: replies and signals",
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                hci0 StopDiscovery -> ok
                hci0 Adapter1 Discovering=false
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            trial.flush()
            trial.first.call("hci0", "Adapter1.StopDiscovery")
            trial.first.until("Discovering=false")
        },
        Behaviour(
            "a second StartDiscovery of one client", 37,
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                hci0 StartDiscovery -> error org.bluez.Error.InProgress "Operation already in progress"
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
        },
        Behaviour(
            "StopDiscovery without a session", 39,
            transcript: """
                hci0 StopDiscovery -> error org.bluez.Error.Failed "No discovery started"
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.StopDiscovery")
        },
        Behaviour(
            "two clients scan, and each has a session of its own", 40,
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                B: hci0 StartDiscovery -> ok
                hci0 StopDiscovery -> ok
                hci0 Get org.bluez.Adapter1 Discovering -> true
                hci0 Adapter1 Discovering=false
                B: hci0 StopDiscovery -> ok
                """
        ) { trial in
            let other = trial.another("B")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            other.call("hci0", "Adapter1.StartDiscovery")
            trial.flush()
            trial.first.call("hci0", "Adapter1.StopDiscovery")
            trial.first.get("hci0", "Adapter1", "Discovering")
            trial.flush()
            other.call("hci0", "Adapter1.StopDiscovery")
            trial.first.until("Discovering=false")
        },
    ]
}
