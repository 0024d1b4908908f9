import FoundationEssentials
import RxBluetooth

/// What a peripheral has, as one object: services, in them characteristics, in them descriptors.
enum TreeJSON {
    static func object(_ items: [TreeItem], at time: Date) -> JSON {
        var head: [(key: String, value: JSON)] = [("time", .string(Timestamp.text(time)))]
        var services: [Branch] = []
        for item in items {
            switch item {
            case .peripheral(let peripheral):
                head += [
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
                services[services.count - 1].branches.append(Branch(members + Self.members(value), "descriptors"))
            case .descriptor(let descriptor, let value):
                let members = members(descriptor.uuid, descriptor.handle) + members(value)
                let last = services[services.count - 1].branches.count - 1
                services[services.count - 1].branches[last].branches.append(Branch(members, nil))
            }
        }
        return .object(head + [("services", .array(services.map(\.json)))])
    }

    private static func members(_ uuid: BluetoothUUID, _ handle: UInt16) -> [(key: String, value: JSON)] {
        [
            ("uuid", .string(uuid.description)), ("name", .string(orNull: uuid.name)),
            ("handle", .string(Handle.text(handle))),
        ]
    }

    private static func members(_ value: TreeItem.Value?) -> [(key: String, value: JSON)] {
        switch value {
        case .success(let bytes): [("value", .string(HexBytes.text(bytes))), ("error", .null)]
        case .failure(let error): [("value", .null), ("error", .string(error.textWithCommands))]
        case nil: [("value", .null), ("error", .null)]
        }
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
