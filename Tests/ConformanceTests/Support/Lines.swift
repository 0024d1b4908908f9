import Rx
import DBus

/// Which signals a transcript shows: of which objects, and which changed properties not. Invalidated ones always stand there.
final class Focus: Sendable {
    private let content = Guarded<(objects: [String], hidden: Set<String>)>((["hci0"], []))

    func set(_ objects: [String], _ hidden: Set<String>) { content.withLock { $0 = (objects, hidden) } }

    func shows(_ object: String) -> Bool {
        content.withLock { $0.objects.contains { object == $0 || object.hasPrefix($0 + "/") } }
    }

    func hides(_ property: String) -> Bool { content.withLock { $0.hidden.contains(property) } }
}

extension Message {
    /// The signal in words: one line, or none where nobody asked for it.
    func lines(_ names: Names, _ focus: Focus) -> [String] {
        let values = (try? read { (body) throws(DBusError) in try body.values() }) ?? []
        switch (member, values.count) {
        case ("PropertiesChanged", 3): return changes(values, names, focus)
        case ("InterfacesAdded", 2), ("InterfacesRemoved", 2):
            guard case .objectPath(let path) = values[0] else { return [] }
            let object = names.name(of: path.description)
            guard focus.shows(object) else { return [] }
            let word = member == "InterfacesAdded" ? "added" : "removed"
            return ["\(word) \(object): \(values[1].interfaceNames.joined(separator: " "))"]
        default:
            let object = names.name(of: path?.description ?? "")
            guard focus.shows(object) else { return [] }
            return (["signal \(object) \(member ?? "")"] + values.map { $0.line(names) }).joined(separator: " ").asList
        }
    }

    private func changes(_ values: [Value], _ names: Names, _ focus: Focus) -> [String] {
        let object = names.name(of: path?.description ?? "")
        guard focus.shows(object), case .string(let interface) = values[0],
            case .dictionary(_, _, let entries) = values[1], case .array(_, let invalidated) = values[2]
        else { return [] }
        var words: [String] = []
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value, !focus.hides(name)
            else { continue }
            words.append("\(name)=\(Masked.text(of: name, value, names))")
        }
        let gone = invalidated.map { $0.line(names) }
        if !gone.isEmpty { words.append("invalidated " + gone.joined(separator: " ")) }
        return words.isEmpty ? [] : ["\(object) \(interface.lastWord) \(words.joined(separator: " "))"]
    }
}

/// What varies by nature.
enum Masked {
    static func text(of property: String, _ value: Value, _ names: Names) -> String {
        if property == "RSSI" { return "#" }
        // A count or a beat.
        if property == "Value", case .bytes(let bytes) = value {
            if bytes.count == 8 { return "<counter>" }
            if bytes.count == 2, bytes[0] == 0, (60..<120).contains(bytes[1]) { return "<beat>" }
        }
        // Those of the adapter come in the order of a hash table, with what is registered among them.
        if property == "UUIDs", case .array("s", let uuids) = value {
            let texts = uuids.map { $0.line(names) }
            let more = Set(texts).subtracting(adapterUUIDs)
            if texts.count == adapterUUIDs.count + more.count, !more.isEmpty {
                return "[its own, \(more.sorted().joined(separator: ", "))]"
            }
        }
        return value.line(names)
    }

    /// What bluetoothd's own services have.
    private static let adapterUUIDs = ["112d", "110e", "1200", "110c", "1800", "1801", "1844", "180a"]
}

extension Value {
    /// The value as a short text.
    func line(_ names: Names) -> String {
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

    /// The last words of the interfaces that `InterfacesAdded` or `InterfacesRemoved` names.
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
    /// The last part of a dotted name.
    var lastWord: String { split(separator: ".").last.map(String.init) ?? self }

    /// With what nobody sees written out.
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
