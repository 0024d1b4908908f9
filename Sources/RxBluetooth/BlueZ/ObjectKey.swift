import DBus

/// The key of a device: its adapter's number and its address in one integer.
///
/// Lookups compare one integer, and paths are never compared as text.
struct DeviceKey: Hashable, Sendable {
    let number: UInt64

    init(adapter: UInt16, address: BluetoothAddress) { number = UInt64(adapter) << 48 | address.number }

    var adapter: UInt16 { UInt16(number >> 48) }
    var address: BluetoothAddress { BluetoothAddress(number) }
    var path: String { "\(adapterPath(adapter))/dev_\(address.text(separator: "_"))" }
}

/// Returns the object path of the adapter with a number.
func adapterPath(_ number: UInt16) -> String { "/org/bluez/hci\(number)" }

/// The key of a characteristic: its device, and the handles in its object path.
struct CharacteristicKey: Hashable, Sendable {
    let device: DeviceKey
    let service: UInt16
    let handle: UInt16

    var path: String { "\(device.path)/service\(Self.text(service))/char\(Self.text(handle))" }

    func descriptorPath(_ handle: UInt16) -> String { "\(path)/desc\(Self.text(handle))" }

    private static func text(_ handle: UInt16) -> String { Hex.text(handle).lowercased() }
}

/// The object that an object path of bluetoothd names.
///
/// Paths consist of numbers, addresses and handles. Other paths, such as those of players and media endpoints, have no
/// key.
/// Source: BlueZ, `adapter-api.txt`, `device-api.txt` and `gatt-api.txt`, object paths.
enum ObjectKey: Hashable {
    case adapter(UInt16)
    case device(DeviceKey)
    case service(DeviceKey, UInt16)
    case characteristic(CharacteristicKey)
    case descriptor(CharacteristicKey, UInt16)

    init?(path: Span<UInt8>) {
        var position = 0
        guard PathSyntax.take("/org/bluez/hci", path, &position),
            let adapter = PathSyntax.decimal(path, &position)
        else { return nil }
        if position == path.count {
            self = .adapter(adapter)
            return
        }
        guard PathSyntax.take("/dev_", path, &position), let address = PathSyntax.address(path, &position) else {
            return nil
        }
        let device = DeviceKey(adapter: adapter, address: address)
        if position == path.count {
            self = .device(device)
            return
        }
        guard PathSyntax.take("/service", path, &position), let service = PathSyntax.handle(path, &position) else {
            return nil
        }
        if position == path.count {
            self = .service(device, service)
            return
        }
        guard PathSyntax.take("/char", path, &position), let handle = PathSyntax.handle(path, &position) else {
            return nil
        }
        let characteristic = CharacteristicKey(device: device, service: service, handle: handle)
        if position == path.count {
            self = .characteristic(characteristic)
            return
        }
        guard PathSyntax.take("/desc", path, &position), let descriptor = PathSyntax.handle(path, &position),
            position == path.count
        else { return nil }
        self = .descriptor(characteristic, descriptor)
    }

    init?(_ path: ObjectPath) { self.init(path: path.description.utf8.span) }

    /// The device of a service, characteristic or descriptor; nil for other objects.
    var ofAttribute: DeviceKey? {
        switch self {
        case .adapter, .device: nil
        case .service(let device, _): device
        case .characteristic(let key), .descriptor(let key, _): key.device
        }
    }
}

/// Reads the parts of a path from its bytes, and advances a position past each part.
private enum PathSyntax {
    static func take(_ text: String, _ path: Span<UInt8>, _ position: inout Int) -> Bool {
        let wanted = text.utf8.span
        guard path.count - position >= wanted.count else { return false }
        for index in wanted.indices where path[position + index] != wanted[index] { return false }
        position += wanted.count
        return true
    }

    static func decimal(_ path: Span<UInt8>, _ position: inout Int) -> UInt16? {
        var number: UInt16?
        while position < path.count, path[position] != UInt8(ascii: "/") {
            let digit = path[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (tens, isTooBig) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isStillTooBig) = tens.addingReportingOverflow(UInt16(digit))
            guard !isTooBig, !isStillTooBig else { return nil }
            number = sum
            position += 1
        }
        return number
    }

    static func address(_ path: Span<UInt8>, _ position: inout Int) -> BluetoothAddress? {
        guard path.count - position >= 17 else { return nil }
        let bytes = path.extracting(position..<position + 17)
        position += 17
        return BluetoothAddress(bytes: bytes, separator: UInt8(ascii: "_"))
    }

    static func handle(_ path: Span<UInt8>, _ position: inout Int) -> UInt16? {
        guard path.count - position >= 4 else { return nil }
        var number: UInt16 = 0
        for index in position..<position + 4 {
            guard let digit = Hex.digit(path[index]) else { return nil }
            number = number << 4 | UInt16(digit)
        }
        position += 4
        return number
    }
}
