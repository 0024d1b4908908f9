import DBus

/// What objects say of themselves, in lines.
extension Client {
    /// Notes the objects of `GetManagedObjects` in their order, with their interfaces: these objects, and all below the first.
    func listObjects(below device: String, _ others: String...) {
        let answer = call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", noting: false)
        guard case .dictionary(_, _, let objects)? = answer.values.first else { return }
        for object in objects {
            let name = object.key.line(names)
            guard name == device || name.hasPrefix(device + "/") || others.contains(name),
                case .dictionary(_, _, let interfaces) = object.value
            else { continue }
            journal.write("\(name): " + interfaces.map { $0.key.line(names).lastWord }.joined(separator: " "))
        }
    }

    /// Of Bluetooth classic, of audio, and of what other programs export: a behaviour about `GetManagedObjects` lists that
    /// the simulation has none of them.
    private static let beyond: Set = [
        "ProfileManager1", "HealthManager1", "BatteryProviderManager1", "Media1", "NetworkServer1", "SimAccess1",
    ]

    /// Notes what an object's introspection lists: a line for each interface with its members, in their order.
    func introspect(_ object: String) {
        let answer = call(object, "org.freedesktop.DBus.Introspectable.Introspect", noting: false)
        guard case .string(let text)? = answer.values.first else {
            return journal.write("\(object) Introspect -> \(answer.line(names))")
        }
        var words: [String] = []
        func end() {
            if let interface = words.first?.dropLast(), !Self.beyond.contains(String(interface)) {
                journal.write("\(object) " + words.joined(separator: " "))
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
