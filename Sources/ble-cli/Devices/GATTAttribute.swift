import FoundationEssentials
import Rx
import RxBluetooth
import RxBluetoothSupport

/// A characteristic or a descriptor, as an argument names it.
enum GATTAttribute: Sendable {
    case characteristic(Characteristic)
    case descriptor(Descriptor)

    var uuid: BluetoothUUID {
        switch self {
        case .characteristic(let characteristic): characteristic.uuid
        case .descriptor(let descriptor): descriptor.uuid
        }
    }

    /// The attribute with its device, for error texts.
    var target: String { "\(label) of \(characteristic.peripheral)" }

    /// The UUID and the handle, which identify this attribute in a line.
    var label: String { "\(uuid) \(AttributeHandle.text(handle))" }

    private var handle: UInt16 {
        switch self {
        case .characteristic(let characteristic): characteristic.handle
        case .descriptor(let descriptor): descriptor.handle
        }
    }

    private var characteristic: Characteristic {
        switch self {
        case .characteristic(let characteristic): characteristic
        case .descriptor(let descriptor): descriptor.characteristic
        }
    }

    /// The operation that reads the value, for errors.
    var readOperation: BluetoothError.Operation {
        switch self {
        case .characteristic: .read
        case .descriptor: .readDescriptor
        }
    }

    func readValue(options: OperationOptions = OperationOptions()) -> Single<[UInt8]> {
        switch self {
        case .characteristic(let characteristic): characteristic.readValue(options: options)
        case .descriptor(let descriptor): descriptor.readValue(options: options)
        }
    }

    /// Returns the first members of every JSON object about a value of this attribute.
    func jsonMembers(_ value: [UInt8], at time: Date) -> [(key: String, value: JSON)] {
        let peripheral = characteristic.peripheral
        let service = characteristic.service.uuid
        var descriptor: BluetoothUUID?
        if case .descriptor = self { descriptor = uuid }
        return [
            ("time", .string(Timestamp.text(time))), ("adapter", .string(orNull: peripheral.adapterName)),
            ("address", .string(peripheral.address.description)), ("name", .string(orNull: peripheral.name)),
            ("service", .string(service.description)), ("serviceName", .string(orNull: service.name)),
            ("characteristic", .string(characteristic.uuid.description)),
            ("characteristicName", .string(orNull: characteristic.uuid.name)),
            ("descriptor", .string(orNull: descriptor?.description)),
            ("handle", .string(AttributeHandle.text(handle))), ("value", .string(HexBytes.text(value))),
            ("decoded", DecodedValue(value, of: uuid)?.json ?? .null),
        ]
    }
}

extension GATTTree {
    /// Emits the attributes that arguments name. Fails if one is missing or ambiguous.
    ///
    /// Only a handle names a descriptor, because the same descriptor occurs in many characteristics.
    func attributes(_ arguments: [CharacteristicArgument]) -> Observable<[GATTAttribute]> {
        let all = services.flatMap(\.characteristics)
        let hasOtherHandles = arguments.contains { argument in
            guard case .handle(let handle) = argument else { return false }
            return !all.contains { $0.handle == handle }
        }
        let descriptors: Observable<[Descriptor]> =
            hasOtherHandles
            ? Observable.from(all).concatMap { $0.discoverDescriptors() }.toArray().asObservable() : .just([])
        return descriptors.map { descriptors in
            var found: [GATTAttribute] = []
            for argument in arguments {
                if case .handle(let handle) = argument, let hit = descriptors.first(where: { $0.handle == handle }) {
                    found.append(.descriptor(hit))
                } else {
                    found.append(.characteristic(try characteristic(argument, or: descriptors)))
                }
            }
            return found
        }
    }
}
