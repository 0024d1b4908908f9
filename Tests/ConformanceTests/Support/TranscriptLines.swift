import Rx
import DBus

/// Selects the signals of a transcript by object, and hides changes of some properties.
///
/// The invalidation of a hidden property is still shown.
final class SignalFilter: Sendable {
    private let content = Guarded<(objects: [String], hidden: Set<String>)>((["hci0"], []))

    func set(_ objects: [String], _ hidden: Set<String>) { content.withLock { $0 = (objects, hidden) } }

    func shows(_ object: String) -> Bool {
        content.withLock { $0.objects.contains { object == $0 || object.hasPrefix($0 + "/") } }
    }

    func hides(_ property: String) -> Bool { content.withLock { $0.hidden.contains(property) } }
}

extension Message {
    /// Returns the transcript line of a signal; an empty list if the filter hides the signal.
    func lines(_ names: ObjectNames, _ signalFilter: SignalFilter) -> [String] {
        let values = (try? read { (body) throws(DBusError) in try body.values() }) ?? []
        switch (member, values.count) {
        case ("PropertiesChanged", 3): return changes(values, names, signalFilter)
        case ("InterfacesAdded", 2), ("InterfacesRemoved", 2):
            guard case .objectPath(let path) = values[0] else { return [] }
            let object = names.name(of: path.description)
            guard signalFilter.shows(object) else { return [] }
            let word = member == "InterfacesAdded" ? "added" : "removed"
            return ["\(word) \(object): \(values[1].interfaceNames.joined(separator: " "))"]
        default:
            let object = names.name(of: path?.description ?? "")
            guard signalFilter.shows(object) else { return [] }
            return (["signal \(object) \(member ?? "")"] + values.map { $0.line(names) }).joined(separator: " ").asList
        }
    }

    private func changes(_ values: [Value], _ names: ObjectNames, _ signalFilter: SignalFilter) -> [String] {
        let object = names.name(of: path?.description ?? "")
        guard signalFilter.shows(object), case .string(let interface) = values[0],
            case .dictionary(_, _, let entries) = values[1], case .array(_, let invalidated) = values[2]
        else { return [] }
        var words: [String] = []
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value, !signalFilter.hides(name)
            else { continue }
            words.append("\(name)=\(Masked.text(of: name, value, names))")
        }
        let gone = invalidated.map { $0.line(names) }
        if !gone.isEmpty { words.append("invalidated " + gone.joined(separator: " ")) }
        return words.isEmpty ? [] : ["\(object) \(interface.lastWord) \(words.joined(separator: " "))"]
    }
}

/// Replaces values that differ between runs by placeholders.
enum Masked {
    static func text(of property: String, _ value: Value, _ names: ObjectNames) -> String {
        if property == "RSSI" { return "#" }
        // Replaces the counter that LOUD notifies, and the heart rates.
        if property == "Value", case .bytes(let bytes) = value {
            if bytes.count == 8 { return "<counter>" }
            if bytes.count == 2, bytes[0] == 0, (60..<120).contains(bytes[1]) { return "<beat>" }
        }
        // bluetoothd lists the adapter's UUIDs in the order of a hash table, with those of its own services.
        if property == "UUIDs", case .array("s", let uuids) = value {
            let texts = uuids.map { $0.line(names) }
            if texts.contains(deviceIdentification) {
                return "[" + (["built-in"] + Set(texts).subtracting(adapterUUIDs).sorted()).joined(separator: ", ")
                    + "]"
            }
        }
        return value.line(names)
    }

    /// The UUIDs of the services that bluetoothd itself registers, in all versions.
    private static let adapterUUIDs = [
        "112d", "110e", "1200", "110c", "1800", "1801", "1844", "180a", "1843", "1845", "184d", "184f", "185b", "1849",
    ]
    /// One of these UUIDs, of device information over BR/EDR, which no peripheral of the lab has.
    private static let deviceIdentification = "1200"
}

extension Value {
    /// The value as a short text.
    func line(_ names: ObjectNames) -> String {
        switch self {
        case .bool(let value): "\(value)"
        case .byte(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .string(let value): value.shortUUID.visible
        case .objectPath(let path): names.name(of: path.description)
        case .bytes(let bytes) where bytes.count > 40: "<\(bytes.count) bytes>"
        case .bytes(let bytes):
            "<" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") + ">"
        case .array(_, let values): "[" + values.map { $0.line(names) }.joined(separator: ", ") + "]"
        case .dictionary(_, _, let entries):
            "{" + entries.map { "\($0.key.line(names)): \($0.value.line(names))" }.joined(separator: ", ") + "}"
        case .variant(let value): value.line(names)
        default: "\(self)"
        }
    }

    /// The interfaces in `InterfacesAdded` or `InterfacesRemoved`, without their prefixes.
    fileprivate var interfaceNames: [String] {
        switch self {
        case .dictionary(_, _, let entries): entries.flatMap(\.key.interfaceNames)
        case .array(_, let names): names.flatMap(\.interfaceNames)
        case .string(let name): [name.lastWord]
        default: []
        }
    }
}

extension String {
    /// The part after the last dot.
    var lastWord: String { split(separator: ".").last.map(String.init) ?? self }

    /// The text with escapes instead of invisible characters.
    var visible: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }

    fileprivate var asList: [String] { [self] }
}
