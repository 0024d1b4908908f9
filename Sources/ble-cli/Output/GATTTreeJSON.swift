import FoundationEssentials
import RxBluetooth

/// What a peripheral has, as one object: services, in them characteristics, in them descriptors.
enum GATTTreeJSON {
    /// - Parameter isComplete: Whether these are all; not so where the link was lost before.
    static func object(_ items: [GATTTreeItem], at time: Date, isComplete: Bool) -> JSON {
        var head: [(key: String, value: JSON)] = [("time", .string(Timestamp.text(time)))]
        var services: [Branch] = []
        for item in items {
            switch item {
            case .peripheral(let peripheral):
                head += [
                    ("adapter", .string(orNull: peripheral.adapterName)),
                    ("address", .string(peripheral.address.description)),
                    ("addressType", .string(orNull: peripheral.addressKind?.rawValue)),
                    ("name", .string(orNull: peripheral.name)),
                ]
            case .service(let service):
                let members = members(service.uuid, service.handle) + [("primary", .bool(service.isPrimary))]
                services.append(Branch(members, "characteristics"))
            case .characteristic(let characteristic, let value):
                let properties = JSON.array(characteristic.properties.names.map { .string($0) })
                let members = members(characteristic.uuid, characteristic.handle) + [("properties", properties)]
                services[services.count - 1].branches.append(
                    Branch(members + Self.members(value, characteristic.uuid), "descriptors"))
            case .descriptor(let descriptor, let value):
                let members = members(descriptor.uuid, descriptor.handle) + members(value, descriptor.uuid)
                let last = services[services.count - 1].branches.count - 1
                services[services.count - 1].branches[last].branches.append(Branch(members, nil))
            }
        }
        return .object(head + [("complete", .bool(isComplete)), ("services", .array(services.map(\.json)))])
    }

    private static func members(_ uuid: BluetoothUUID, _ handle: UInt16) -> [(key: String, value: JSON)] {
        [
            ("uuid", .string(uuid.description)), ("name", .string(orNull: uuid.name)),
            ("handle", .string(AttributeHandle.text(handle))),
        ]
    }

    private static func members(
        _ value: GATTTreeItem.Value?, _ uuid: BluetoothUUID
    ) -> [(key: String, value: JSON)] {
        let (bytes, failure): ([UInt8]?, CLIError?) =
            switch value {
            case .success(let bytes): (bytes, nil)
            case .failure(let error): (nil, CLIError(error))
            case nil: (nil, nil)
            }
        return [
            ("value", .string(orNull: bytes.map { HexBytes.text($0) })),
            ("decoded", bytes.flatMap { ValueDecoder.decoded($0, of: uuid)?.json } ?? .null),
            ("error", failure?.json ?? .null),
        ]
    }

    private struct Branch {
        var members: [(key: String, value: JSON)]
        var key: String?
        var branches: [Branch] = []

        init(_ members: [(key: String, value: JSON)], _ key: String?) {
            self.members = members
            self.key = key
        }

        var json: JSON {
            .object(members + (key.map { [($0, JSON.array(branches.map(\.json)))] } ?? []))
        }
    }
}
