import DBus

/// The objects of a registered application, validated as in bluetoothd.
///
/// Source: BlueZ 5.66, src/gatt-database.c.
struct RegisteredApplication {
    /// One interface of an object that the client exports.
    struct RegisteredObject {
        let path: ObjectPath
        let interface: String
        let properties: [String: Value]

        /// The UUID; nil if invalid, or if the service is one of bluetoothd's own (parse_uuid).
        var uuid: String? {
            guard case .string(let text)? = properties["UUID"], let uuid = FullUUID.text(text),
                uuid != FullUUID.described("1800"), uuid != FullUUID.described("1801")
            else { return nil }
            return uuid
        }

        /// The flags, without a check.
        var flagNames: [String] {
            guard case .array("s", let values)? = properties["Flags"] else { return [] }
            return values.compactMap { if case .string(let flag) = $0 { flag } else { nil } }
        }

        /// The requested handle, 0 for any; nil if the type is wrong (parse_handle).
        var handle: Int? {
            switch properties["Handle"] {
            case nil: 0
            case .uint16(let handle)?: Int(handle)
            default: nil
            }
        }

        /// Whether bluetoothd writes the assigned handle back to the client.
        var needsHandle: Bool { properties["Handle"] != nil && handle == 0 }

        fileprivate func path(_ property: String) -> ObjectPath? {
            if case .objectPath(let path)? = properties[property] { path } else { nil }
        }

        /// The flags; nil if absent, empty or not allowed.
        fileprivate func flags(allowed: Set<String>) -> [String]? {
            guard case .array("s", let values)? = properties["Flags"], !values.isEmpty else { return nil }
            let flags = values.compactMap { if case .string(let flag) = $0 { flag } else { nil } }
            return flags.allSatisfy(allowed.contains) ? flags : nil
        }
    }

    struct RegisteredCharacteristic {
        let object: RegisteredObject
        /// The number of descriptors that bluetoothd adds: CCCD and extended properties.
        let ownDescriptors: Int
        fileprivate(set) var descriptors: [RegisteredObject] = []
    }

    struct RegisteredService {
        let object: RegisteredObject
        fileprivate(set) var characteristics: [RegisteredCharacteristic] = []

        /// The paths in `Includes`; nil if the type is wrong (parse_includes).
        var includes: [ObjectPath]? {
            switch object.properties["Includes"] {
            case nil: []
            case .array("o", let paths)?: paths.compactMap { if case .objectPath(let path) = $0 { path } else { nil } }
            // bluetoothd accepts an empty array of any type.
            case .array(_, let values)? where values.isEmpty: []
            case .bytes(let bytes)? where bytes.isEmpty: []
            case .dictionary(_, _, let entries)? where entries.isEmpty: []
            default: nil
            }
        }

        /// Whether the service is primary; nil if the property is absent or of the wrong type (parse_primary).
        var isPrimary: Bool? {
            if case .bool(let isPrimary)? = object.properties["Primary"] { isPrimary } else { nil }
        }
    }

    private(set) var services: [RegisteredService] = []

    /// Creates the application from its objects.
    ///
    /// Throws the error that bluetoothd returns for an invalid application (client_ready_cb).
    init(_ objects: [RegisteredObject]) throws(DBusError) {
        if objects.isEmpty { throw BlueZError.failed("No object received") }
        let refusal = BlueZError.failed("No valid service object found")
        func all(_ interface: String) -> [RegisteredObject] {
            objects.filter { $0.interface == "org.bluez." + interface }
        }
        let profiles = all("GattProfile1")
        for profile in profiles {
            guard case .array("s", let uuids)? = profile.properties["UUIDs"], !uuids.isEmpty else { throw refusal }
        }
        services = all("GattService1").map { RegisteredService(object: $0) }
        for object in all("GattCharacteristic1") where !add(characteristic: object) { throw refusal }
        for object in all("GattDescriptor1") where !add(descriptor: object) { throw refusal }
        if services.isEmpty, profiles.isEmpty { throw refusal }
    }

    private mutating func add(characteristic object: RegisteredObject) -> Bool {
        guard let service = services.firstIndex(where: { $0.object.path == object.path("Service") }),
            let flags = object.flags(allowed: Self.characteristicFlags)
        else { return false }
        let notifies = flags.contains { $0.hasSuffix("notify") || $0.hasSuffix("indicate") }
        let isExtended = !Self.extendedFlags.isDisjoint(with: flags)
        let own = (notifies ? 1 : 0) + (isExtended ? 1 : 0)
        services[service].characteristics.append(RegisteredCharacteristic(object: object, ownDescriptors: own))
        return true
    }

    private mutating func add(descriptor object: RegisteredObject) -> Bool {
        guard let path = object.path("Characteristic"), object.flags(allowed: Self.descriptorFlags) != nil else {
            return false
        }
        for service in services.indices {
            let place = services[service].characteristics.firstIndex { $0.object.path == path }
            guard let place else { continue }
            services[service].characteristics[place].descriptors.append(object)
            return true
        }
        return false
    }

    private static let extendedFlags: Set = ["reliable-write", "writable-auxiliaries"]

    private static let descriptorFlags: Set = [
        "read", "write", "encrypt-read", "encrypt-write", "encrypt-authenticated-read", "encrypt-authenticated-write",
        "secure-read", "secure-write", "authorize",
    ]

    private static let characteristicFlags: Set = descriptorFlags.union(extendedFlags).union([
        "broadcast", "write-without-response", "notify", "indicate", "authenticated-signed-writes",
        "extended-properties", "encrypt-notify", "encrypt-authenticated-notify", "secure-notify", "encrypt-indicate",
        "encrypt-authenticated-indicate", "secure-indicate",
    ])
}

extension RegisteredApplication.RegisteredObject {
    /// Returns the interfaces in a reply to `GetManagedObjects`, in the order of the reply.
    static func all(in reply: Message) -> [RegisteredApplication.RegisteredObject] {
        guard case .dictionary("o", _, let objects)? = try? reply.read({ (body) throws(DBusError) in try body.value() })
        else { return [] }
        return objects.flatMap { object -> [RegisteredApplication.RegisteredObject] in
            guard case .objectPath(let path) = object.key, case .dictionary(_, _, let interfaces) = object.value else {
                return []
            }
            return interfaces.compactMap { entry in
                guard case .string(let name) = entry.key, !plain.contains(name) else { return nil }
                return .init(path: path, interface: name, properties: entry.value.properties)
            }
        }
    }

    /// The interfaces that bluetoothd ignores (gdbus/client.c).
    private static let plain = ["org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties"]
}

extension Value {
    /// The entries of a dictionary of type `a{sv}`; empty for any other value.
    var properties: [String: Value] {
        guard case .dictionary("s", "v", let entries) = self else { return [:] }
        return entries.reduce(into: [:]) { properties, entry in
            if case .string(let name) = entry.key, case .variant(let value) = entry.value { properties[name] = value }
        }
    }
}
