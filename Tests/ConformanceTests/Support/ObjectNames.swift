import Rx
import DBus

/// The names of objects in transcripts: `hci0`, `HRM-0`, `HRM-0/180d/2a37`.
///
/// The path of an attribute contains handles, which differ between runs. Its name contains UUIDs instead, and a number
/// if another attribute has the same UUIDs (`TWINS/ffd0#2`).
final class ObjectNames: Sendable {
    /// The names of the peripherals, by the last byte of their addresses.
    static let peripherals = [
        "00": "HRM-0", "01": "HRM-1", "02": "HRM-2", "10": "TWINS", "11": "SECURE", "12": "FLAKY", "13": "LOUD",
        "14": "hostile",
    ]
    private static let devices = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_"

    private let attributes = Guarded<[(path: String, name: String)]>([])
    private let present = Guarded<Set<String>>([])

    /// Returns whether an object exists, according to the signals so far.
    func isPresent(_ object: String) -> Bool {
        guard let path = path(of: object)?.description else { return false }
        return present.withLock { $0.contains(path) }
    }

    func path(of object: String) -> ObjectPath? {
        if object.hasPrefix("/") { return ObjectPath(object) }
        if object.hasPrefix("hci") { return ObjectPath("/org/bluez/\(object)") }
        if let byte = Self.peripherals.first(where: { $0.value == object })?.key {
            return ObjectPath(Self.devices + byte)
        }
        return attributes.withLock { $0.first { $0.name == object } }.flatMap { ObjectPath($0.path) }
    }

    func name(of path: String) -> String {
        if let known = attributes.withLock({ $0.first { $0.path == path } }) { return known.name }
        if path.hasPrefix(Self.devices) {
            let rest = path.dropFirst(Self.devices.count)
            // Other peripherals keep their paths as names, so every signal filter hides them. No behaviour uses these
            // peripherals.
            return Self.peripherals[String(rest.prefix(2))].map { $0 + rest.dropFirst(2) } ?? path
        }
        return path.hasPrefix("/org/bluez/hci") ? String(path.dropFirst("/org/bluez/".count)) : path
    }

    func learn(from signal: Message) {
        guard signal.interface == "org.freedesktop.DBus.ObjectManager",
            let values = try? signal.read({ (body) throws(DBusError) in try body.values() }),
            case .objectPath(let path)? = values.first
        else { return }
        if signal.member == "InterfacesAdded", values.count > 1 {
            learn(path, values[1])
        } else if case .array(_, let gone)? = values.last, gone.contains(.string("org.freedesktop.DBus.Properties")) {
            present.withLock { _ = $0.remove(path.description) }
        }
    }

    func learn(objects: Value) {
        guard case .dictionary(_, _, let entries) = objects else { return }
        let known = entries.compactMap { entry in
            if case .objectPath(let path) = entry.key { (path: path, interfaces: entry.value) } else { nil }
        }
        // Sorts by path, because the list is unordered and the numbers in names follow the order of handles.
        for entry in known.sorted(by: { $0.path.description < $1.path.description }) {
            learn(entry.path, entry.interfaces)
        }
    }

    private func learn(_ path: ObjectPath, _ interfaces: Value) {
        present.withLock { _ = $0.insert(path.description) }
        guard case .dictionary(_, _, let entries) = interfaces else { return }
        for entry in entries {
            guard case .string(let interface) = entry.key, interface.hasPrefix("org.bluez.Gatt"),
                case .dictionary(_, _, let properties) = entry.value,
                case .variant(.string(let uuid))? = properties.first(where: { $0.key == .string("UUID") })?.value
            else { continue }
            let name = "\(name(of: path.parent.description))/\(uuid.shortUUID)"
            attributes.withLock { attributes in
                guard !attributes.contains(where: { $0.path == path.description }) else { return }
                let same = attributes.count { $0.name == name || $0.name.hasPrefix(name + "#") }
                attributes.append((path.description, same == 0 ? name : "\(name)#\(same + 1)"))
            }
        }
    }
}

extension String {
    /// The 16-bit form of a UUID that the Bluetooth SIG assigned; any other UUID unchanged.
    var shortUUID: String {
        hasPrefix("0000") && hasSuffix("-0000-1000-8000-00805f9b34fb") && count == 36
            ? String(dropFirst(4).prefix(4)) : self
    }
}
