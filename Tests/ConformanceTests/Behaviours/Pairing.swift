import DBus

extension Behaviour {
    private static let agent: ObjectPath = "/test/agent"
    private static let secret = "SECURE/fff0/fff1"
    private static let none: [String: Value] = [:]

    /// Behaviours of agents and pairing.
    static let pairing = [
        Behaviour(
            "A client registers one agent, which makes the adapter pairable", 92,
            transcript: """
                /org/bluez UnregisterAgent /test/agent -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                /org/bluez RegisterAgent /test/agent Telepathy -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                /org/bluez RegisterAgent /test/agent DisplayOnly -> ok
                hci0 Adapter1 Pairable=true
                /org/bluez RegisterAgent /test/agent DisplayOnly -> error org.bluez.Error.AlreadyExists "Already Exists"
                /org/bluez RequestDefaultAgent /test/agent -> ok
                B: /org/bluez RequestDefaultAgent /test/agent -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                /org/bluez UnregisterAgent /test/agent -> ok
                hci0 Adapter1 Pairable=false
                """
        ) { trial in
            let (client, path) = (trial.first, Value.objectPath(agent))
            client.call("/org/bluez", "AgentManager1.UnregisterAgent", path)
            client.call("/org/bluez", "AgentManager1.RegisterAgent", path, "Telepathy")
            client.call("/org/bluez", "AgentManager1.RegisterAgent", path, "DisplayOnly")
            client.until("Pairable=true")
            client.call("/org/bluez", "AgentManager1.RegisterAgent", path, "DisplayOnly")
            client.call("/org/bluez", "AgentManager1.RequestDefaultAgent", path)
            trial.flush()
            trial.another("B").call("/org/bluez", "AgentManager1.RequestDefaultAgent", path)
            trial.flush()
            client.call("/org/bluez", "AgentManager1.UnregisterAgent", path)
            client.until("Pairable=false")
        },
        Behaviour(
            "Pair without an agent fails with AuthenticationFailed", 90,
            linkedTo: "SECURE",
            transcript: """
                SECURE CancelPairing -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                SECURE Pair -> error org.bluez.Error.AuthenticationFailed "Authentication Failed"
                SECURE Get org.bluez.Device1 Paired -> false
                SECURE Get org.bluez.Device1 Connected -> true
                """
        ) { trial in
            trial.first.call("SECURE", "Device1.CancelPairing")
            trial.first.call("SECURE", "Device1.Pair")
            trial.first.get("SECURE", "Device1", "Paired")
            trial.first.get("SECURE", "Device1", "Connected")
        },
        Behaviour(
            "Pair of a bonded device fails, or has no reply until it is cancelled", 118,
            linkedTo: "SECURE",
            transcript: """
                SECURE Get org.bluez.Device1 Bonded -> true
                @5.66 SECURE Pair -> error org.bluez.Error.InProgress "In Progress"
                @5.82+ SECURE Pair -> error org.bluez.Error.AlreadyExists "Already Exists"
                @5.82+ SECURE Pair -> error org.bluez.Error.AlreadyExists "Already Exists"
                SECURE Get org.bluez.Device1 Connected -> true
                @5.66 SECURE Pair -> error org.bluez.Error.AuthenticationCanceled "Authentication Canceled"
                @5.66 SECURE CancelPairing -> ok
                @5.82+ SECURE CancelPairing -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                @5.82 SECURE Device1 ServicesResolved=false Connected=false
                @5.87 SECURE Device1 ServicesResolved=false
                @5.87 SECURE LE1 Connected=false
                @5.87 signal SECURE Disconnected org.bluez.Reason.Local Connection terminated by local host …
                @5.87 SECURE Device1 Connected=false
                SECURE Get org.bluez.Device1 Bonded -> true
                """
        ) { trial in
            let (client, path) = (trial.first, Value.objectPath(agent))
            trial.aside {
                // No agent object is exported, because `Pair` calls no agent with the capability NoInputNoOutput.
                client.call("/org/bluez", "AgentManager1.RegisterAgent", path, "NoInputNoOutput", noting: false)
                client.call("SECURE", "Device1.Pair", noting: false)
            }
            client.get("SECURE", "Device1", "Bonded")
            client.begin("SECURE", "Device1.Pair")
            client.call("SECURE", "Device1.Pair")
            // Waits until the kernel has replied to the pairing and its effects are visible.
            trial.pass(.seconds(8))
            client.get("SECURE", "Device1", "Connected")
            trial.flush()
            client.call("SECURE", "Device1.CancelPairing")
            // Cancelling closes the link if there is no pairing to cancel.
            trial.pass(.seconds(5))
            trial.flush()
            client.get("SECURE", "Device1", "Bonded")
            trial.flush()
            trial.aside {
                let device = client.names.path(of: "SECURE") ?? .root
                client.call("hci0", "Adapter1.RemoveDevice", Value.objectPath(device), noting: false)
                client.call("/org/bluez", "AgentManager1.UnregisterAgent", path, noting: false)
            }
        },
    ]
}
