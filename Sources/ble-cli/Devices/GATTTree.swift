import FoundationEssentials
import Rx
import RxBluetooth

/// What a connected peripheral has: its services with their characteristics, in the order of their handles.
struct GATTTree: Sendable {
    struct Entry: Sendable {
        let service: Service
        let characteristics: [Characteristic]
    }

    let peripheral: Peripheral
    let entries: [Entry]

    /// Emits it once and completes.
    static func discover(_ peripheral: Peripheral) -> Observable<GATTTree> {
        peripheral.discoverServices()
            .concatMap { service in
                service.discoverCharacteristics().toArray().map { Entry(service: service, characteristics: $0) }
            }
            .toArray()
            .map { GATTTree(peripheral: peripheral, entries: $0) }
            .asObservable()
    }

    /// The characteristic that a person means.
    func characteristic(_ choice: CharacteristicArgument) throws(CLIError) -> Characteristic {
        let all = entries.flatMap(\.characteristics)
        let fitting = all.filter { characteristic in
            switch choice {
            case .uuid(let uuid): characteristic.uuid == uuid
            case .handle(let handle): characteristic.handle == handle
            }
        }
        guard let first = fitting.first else {
            let present = all.map { characteristic -> String in
                if case .handle = choice {
                    AttributeHandle.text(characteristic.handle)
                } else {
                    characteristic.uuid.description
                }
            }
            let list = present.isEmpty ? "It has none." : "It has \(present.joined(separator: ", "))."
            throw CLIError(.notFound, "\(peripheral) has no characteristic \(choice). \(list)")
        }
        guard fitting.count == 1 else {
            let list = fitting.map { characteristic in
                "\(AttributeHandle.text(characteristic.handle)) (service \(characteristic.service.uuid))"
            }
            throw CLIError(
                .usage,
                "\(peripheral) has \(fitting.count) characteristics \(choice). Give the handle of one: "
                    + "\(list.joined(separator: ", ")).")
        }
        return first
    }
}

/// One line of what a peripheral has.
enum GATTTreeItem: Sendable {
    /// The bytes, or why they could not be read.
    typealias Value = Result<[UInt8], BluetoothError>

    case peripheral(Peripheral)
    case service(Service)
    /// A characteristic; its value is nil where it cannot be read.
    case characteristic(Characteristic, Value?)
    case descriptor(Descriptor, Value)

    /// The item for people. Handles stand as they may be given to `read`, `write` and `notify`.
    var line: String {
        switch self {
        case .peripheral(let peripheral):
            let name = peripheral.name.map { "  " + Sanitiser.clean($0) } ?? ""
            return peripheral.address.description + name
        case .service(let service):
            let kind = service.isPrimary ? "" : "  (secondary)"
            return "  " + Self.title(service.uuid, service.handle) + kind
        case .characteristic(let characteristic, let value):
            let properties = characteristic.properties.names.joined(separator: ", ")
            return "    " + Self.title(characteristic.uuid, characteristic.handle) + "  [\(properties)]"
                + (value.map { Self.text($0, of: characteristic.uuid) } ?? "")
        case .descriptor(let descriptor, let value):
            return "      " + Self.title(descriptor.uuid, descriptor.handle) + Self.text(value, of: descriptor.uuid)
        }
    }

    private static func title(_ uuid: BluetoothUUID, _ handle: UInt16) -> String {
        let name = uuid.name.map { " " + $0 } ?? ""
        return "\(uuid)\(name)  \(AttributeHandle.text(handle))"
    }

    private static func text(_ value: Value, of uuid: BluetoothUUID) -> String {
        switch value {
        case .success(let bytes): "  = " + ValueDecoder.line(bytes, of: uuid)
        case .failure(let error): "  ! " + Sanitiser.clean(CLIError(error).text)
        }
    }
}

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
