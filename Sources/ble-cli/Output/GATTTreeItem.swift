import RxBluetooth

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
