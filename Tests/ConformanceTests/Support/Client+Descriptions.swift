import DBus

/// Logs descriptions of objects as lines of the transcript.
extension Client {
    /// Logs the objects of `GetManagedObjects` in the order of the reply, with their interfaces.
    ///
    /// Objects other than the device, the objects below it and `others` are omitted.
    func listObjects(below device: String, _ others: String...) {
        let reply = call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", noting: false)
        guard case .dictionary(_, _, let objects)? = reply.values.first else { return }
        for object in objects {
            let name = object.key.line(names)
            guard name == device || name.hasPrefix(device + "/") || others.contains(name),
                case .dictionary(_, _, let interfaces) = object.value
            else { continue }
            eventLog.write("\(name): " + interfaces.map { $0.key.line(names).lastWord }.joined(separator: " "))
        }
    }

    /// The interfaces that the simulation omits; see `fewerInterfaces`.
    ///
    /// Their purposes are Bluetooth classic, audio, and data that other programs provide.
    private static let beyond: Set = [
        "ProfileManager1", "HealthManager1", "BatteryProviderManager1", "Media1", "NetworkServer1", "SimAccess1",
    ]

    /// Logs the introspection of an object: one line for each interface, with its members in their order.
    func introspect(_ object: String) {
        let reply = call(object, "org.freedesktop.DBus.Introspectable.Introspect", noting: false)
        guard case .string(let text)? = reply.values.first else {
            return eventLog.write("\(object) Introspect -> \(reply.line(names))")
        }
        var words: [String] = []
        func end() {
            if let interface = words.first?.dropLast(), !Self.beyond.contains(String(interface)) {
                eventLog.write("\(object) " + words.joined(separator: " "))
            }
            words = []
        }
        for tag in text.split(separator: "<").dropFirst() {
            let values = tag.matches(of: #/([a-z]+)="([^"]*)"/#).reduce(into: [:]) {
                $0[$1.output.1] = String($1.output.2)
            }
            switch tag.prefix(while: \.isLetter) {
            case "interface":
                end()
                words = [(values["name"] ?? "").lastWord + ":"]
            case "method", "signal": words.append(values["name"] ?? "")
            case "arg":
                words.append(
                    "\(values["direction"] == "out" ? "->" : "")\(values["type"] ?? "")=\(values["name"] ?? "")")
            case "property": words.append("\(values["name"] ?? "").\(values["type"] ?? "").\(values["access"] ?? "")")
            case "annotation": words.append("@\((values["name"] ?? "").lastWord)=\(values["value"] ?? "")")
            default: break
            }
        }
        end()
    }
}
