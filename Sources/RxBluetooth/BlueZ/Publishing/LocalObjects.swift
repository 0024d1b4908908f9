import DBus

/// An attribute of published services: its place in their description, and its UUIDs.
struct LocalAttribute: Hashable, Sendable {
    let serviceIndex: Int
    let characteristicIndex: Int
    /// The index of the descriptor; nil for the value of the characteristic.
    let descriptorIndex: Int?
    let service: BluetoothUUID
    let characteristic: BluetoothUUID
    let descriptor: BluetoothUUID?
}

/// The D-Bus objects of published services, which bluetoothd reads when it registers them.
///
/// Source: BlueZ, `gatt-api.txt`.
struct LocalObjects {
    struct Object {
        let path: ObjectPath
        let interface: String
        let properties: [String: Value]
    }

    /// The objects; each service precedes its characteristics, and each characteristic its descriptors.
    private(set) var all: [Object] = []
    private(set) var attributes: [ObjectPath: LocalAttribute] = [:]
    private(set) var paths: [LocalAttribute: ObjectPath] = [:]

    /// Makes the objects below `root`. Throws `invalidArgument` for services that bluetoothd would refuse.
    init(_ services: [LocalService], at root: ObjectPath) throws(BluetoothError) {
        guard !services.isEmpty else { throw Self.invalid("There is no service to publish") }
        var earlier: [BluetoothUUID: ObjectPath] = [:]
        for (index, service) in services.enumerated() {
            let path = Self.path(root, "service", index)
            var includes: [Value] = []
            for uuid in service.includedServices {
                guard let included = earlier[uuid] else {
                    throw Self.invalid("Service \(service.uuid) includes \(uuid), which does not precede it")
                }
                includes.append(.objectPath(included))
            }
            guard !Self.ownServices.contains(service.uuid) else {
                throw Self.invalid("Service \(service.uuid) belongs to bluetoothd")
            }
            if earlier[service.uuid] == nil { earlier[service.uuid] = path }
            var properties: [String: Value] = [
                "UUID": .string(service.uuid.longText), "Primary": .bool(service.isPrimary),
            ]
            if !includes.isEmpty { properties["Includes"] = .array(of: "o", includes) }
            all.append(Object(path: path, interface: BlueZ.service, properties: properties))
            for number in service.characteristics.indices {
                try add(service.characteristics[number], number, of: service, index, at: path)
            }
        }
    }

    private mutating func add(
        _ characteristic: LocalCharacteristic, _ number: Int, of service: LocalService, _ index: Int,
        at parent: ObjectPath
    ) throws(BluetoothError) {
        let flags = characteristic.properties.flags(with: characteristic.security)
        guard !flags.isEmpty else { throw Self.invalid("\(characteristic.uuid) has no properties") }
        try Self.check(characteristic.value, of: characteristic.uuid)
        let path = Self.path(parent, "characteristic", number)
        all.append(
            Object(
                path: path, interface: BlueZ.characteristic,
                properties: [
                    "UUID": .string(characteristic.uuid.longText), "Service": .objectPath(parent),
                    "Flags": .strings(flags),
                ]))
        note(path, LocalAttribute(index, number, nil, service.uuid, characteristic.uuid, nil))
        for (place, descriptor) in characteristic.descriptors.enumerated() {
            guard !Self.ownDescriptors.contains(descriptor.uuid) else {
                throw Self.invalid("bluetoothd adds the descriptor \(descriptor.uuid) itself")
            }
            try Self.check(descriptor.value, of: descriptor.uuid)
            let prefix = descriptor.security.prefix
            let child = Self.path(path, "descriptor", place)
            all.append(
                Object(
                    path: child, interface: BlueZ.descriptor,
                    properties: [
                        "UUID": .string(descriptor.uuid.longText), "Characteristic": .objectPath(path),
                        "Flags": .strings([prefix + "read"] + (descriptor.isWritable ? [prefix + "write"] : [])),
                    ]))
            note(child, LocalAttribute(index, number, place, service.uuid, characteristic.uuid, descriptor.uuid))
        }
    }

    private mutating func note(_ path: ObjectPath, _ attribute: LocalAttribute) {
        attributes[path] = attribute
        paths[attribute] = path
    }

    /// The characteristics, in the order of the description.
    var characteristics: [LocalAttribute] {
        all.compactMap { attributes[$0.path] }.filter { $0.descriptorIndex == nil }
    }

    /// The reply to `GetManagedObjects`.
    var value: Value {
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            all.map { object in
                Value.Entry(
                    .objectPath(object.path),
                    .dictionary(
                        key: "s", value: "a{sv}",
                        [Value.Entry(.string(object.interface), .properties(object.properties))]))
            })
    }

    private static func path(_ parent: ObjectPath, _ kind: String, _ number: Int) -> ObjectPath {
        parent.appending("\(kind)\(number)") ?? parent
    }

    private static func check(_ value: [UInt8]?, of uuid: BluetoothUUID) throws(BluetoothError) {
        guard let value, value.count > Characteristic.longestValue else { return }
        throw Characteristic.tooLong(value.count).during(.publish, "\(uuid)")
    }

    private static func invalid(_ detail: String) -> BluetoothError {
        BluetoothError(.invalidArgument, operation: .publish, detail: detail)
    }

    /// The services that bluetoothd refuses: GAP and GATT. Source: BlueZ 5.66, `src/gatt-database.c`, `parse_uuid`.
    private static let ownServices: Set<BluetoothUUID> = [0x1800, 0x1801]
    /// The descriptors that bluetoothd adds. A second one with the same UUID would confuse centrals.
    private static let ownDescriptors: Set<BluetoothUUID> = [0x2900, 0x2902]
}

extension LocalAttribute {
    fileprivate init(
        _ serviceIndex: Int, _ characteristicIndex: Int, _ descriptorIndex: Int?, _ service: BluetoothUUID,
        _ characteristic: BluetoothUUID, _ descriptor: BluetoothUUID?
    ) {
        self.init(
            serviceIndex: serviceIndex, characteristicIndex: characteristicIndex, descriptorIndex: descriptorIndex,
            service: service, characteristic: characteristic, descriptor: descriptor)
    }
}

extension LocalSecurity {
    /// What bluetoothd's names of protected operations begin with.
    fileprivate var prefix: String {
        switch self {
        case .none: ""
        case .encrypted: "encrypt-"
        case .authenticated: "encrypt-authenticated-"
        case .secureConnections: "secure-"
        }
    }
}

extension Characteristic.Properties {
    /// Returns bluetoothd's names of these operations with a security.
    ///
    /// bluetoothd has no protected write without response, so such a characteristic also offers the protected write.
    fileprivate func flags(with security: LocalSecurity) -> [String] {
        let prefix = security.prefix
        var flags = names.map { ["read", "write", "notify", "indicate"].contains($0) ? prefix + $0 : $0 }
        if contains(.writeWithoutResponse), !prefix.isEmpty, !contains(.write) { flags.append(prefix + "write") }
        return flags
    }
}
