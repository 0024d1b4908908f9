import DBus

extension Behaviour {
    /// Behaviours of device objects and their writable properties.
    static let devices = [
        Behaviour(
            "RemoveDevice removes the object of a device", 59,
            transcript: """
                @5.66,5.82 removed TWINS: Properties Introspectable Device1
                @5.87 removed TWINS: Properties Introspectable Device1 LE1
                hci0 RemoveDevice TWINS -> ok
                hci0 RemoveDevice TWINS -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                hci0 RemoveDevice hci0 -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                TWINS Connect -> error org.freedesktop.DBus.Error.UnknownObject "Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist\\u{a}"
                """
        ) { trial in
            trial.discover("TWINS")
            let path = Value.objectPath(trial.names.path(of: "TWINS") ?? .root)
            trial.first.call("hci0", "Adapter1.RemoveDevice", path)
            trial.first.call("hci0", "Adapter1.RemoveDevice", path)
            trial.first.call("hci0", "Adapter1.RemoveDevice", Value.objectPath("/org/bluez/hci0"))
            trial.first.call("TWINS", "Device1.Connect")
        },
        Behaviour(
            "The Alias of a device can be set and reset", 56,
            transcript: """
                TWINS Device1 Alias=left one
                TWINS Set org.bluez.Device1 Alias left one -> ok
                TWINS Set org.bluez.Device1 Alias left one -> ok
                TWINS Get org.bluez.Device1 Name -> TWINS
                TWINS Device1 Alias=TWINS
                TWINS Set org.bluez.Device1 Alias  -> ok
                TWINS Get org.bluez.Device1 Alias -> TWINS
                """
        ) { trial in
            trial.discover("TWINS")
            trial.first.set("TWINS", "Device1", "Alias", "left one")
            trial.first.set("TWINS", "Device1", "Alias", "left one")
            trial.first.get("TWINS", "Device1", "Name")
            trial.first.set("TWINS", "Device1", "Alias", "")
            trial.first.get("TWINS", "Device1", "Alias")
        },
        Behaviour(
            "The Alias of the adapter can be set and reset",
            transcript: """
                hci0 Set org.bluez.Adapter1 Alias gateway -> ok
                hci0 Adapter1 Alias=gateway
                hci0 Set org.bluez.Adapter1 Alias gateway -> ok
                hci0 Get org.bluez.Adapter1 Alias -> gateway
                hci0 Set org.bluez.Adapter1 Alias  -> ok
                @5.66 hci0 Adapter1 Alias=BlueZ 5.66
                @5.66 hci0 Get org.bluez.Adapter1 Alias -> BlueZ 5.66
                @5.82 hci0 Adapter1 Alias=BlueZ 5.82
                @5.82 hci0 Get org.bluez.Adapter1 Alias -> BlueZ 5.82
                @5.87 hci0 Adapter1 Alias=BlueZ 5.87
                @5.87 hci0 Get org.bluez.Adapter1 Alias -> BlueZ 5.87
                """
        ) { trial in
            trial.first.set("hci0", "Adapter1", "Alias", "gateway")
            trial.first.set("hci0", "Adapter1", "Alias", "gateway")
            trial.first.get("hci0", "Adapter1", "Alias")
            trial.first.set("hci0", "Adapter1", "Alias", "")
            trial.pass(.milliseconds(500))
            trial.first.get("hci0", "Adapter1", "Alias")
        },
        Behaviour(
            "The Alias of the adapter is cut after 247 bytes, and refused if that cuts a character",
            transcript: """
                247 bytes -> ok; Alias has 247 bytes
                248 bytes -> ok; Alias has 247 bytes
                248 bytes -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"; Alias has 10 bytes
                249 bytes -> ok; Alias has 247 bytes
                """
        ) { trial in
            let (client, properties) = (trial.first, "org.freedesktop.DBus.Properties.")
            for (count, end) in [(247, ""), (248, ""), (246, "ü"), (247, "ü")] {
                let name = String(repeating: "a", count: count) + end
                var lines: [String] = []
                trial.aside {
                    for value in ["", name] {
                        let reply = client.call(
                            "hci0", properties + "Set", "org.bluez.Adapter1", "Alias", Value.variant(.string(value)),
                            noting: false)
                        lines = ["\(name.utf8.count) bytes -> \(reply.line(trial.names))"]
                        trial.pass(.milliseconds(500))
                    }
                    let reply = client.call("hci0", properties + "Get", "org.bluez.Adapter1", "Alias", noting: false)
                    guard case .variant(.string(let alias))? = reply.values.first else { return }
                    lines.append("Alias has \(alias.utf8.count) bytes")
                }
                client.eventLog.write(lines.joined(separator: "; "))
            }
            trial.aside { client.set("hci0", "Adapter1", "Alias", "") }
        },
        Behaviour(
            "Trusted and Blocked can be set and reset",
            transcript: """
                TWINS Device1 Trusted=true
                TWINS Set org.bluez.Device1 Trusted true -> ok
                TWINS Set org.bluez.Device1 Trusted true -> ok
                TWINS Get org.bluez.Device1 Trusted -> true
                TWINS Device1 Trusted=false
                TWINS Set org.bluez.Device1 Trusted false -> ok
                TWINS Device1 Blocked=true
                TWINS Set org.bluez.Device1 Blocked true -> ok
                TWINS Set org.bluez.Device1 Blocked true -> ok
                TWINS Get org.bluez.Device1 Blocked -> true
                TWINS Device1 Blocked=false
                TWINS Set org.bluez.Device1 Blocked false -> ok
                """
        ) { trial in
            trial.discover("TWINS")
            for property in ["Trusted", "Blocked"] {
                trial.first.set("TWINS", "Device1", property, true)
                trial.first.set("TWINS", "Device1", property, true)
                trial.first.get("TWINS", "Device1", property)
                trial.first.set("TWINS", "Device1", property, false)
            }
        },
    ]
}
