/// A packet between host and controller, as far as a capture of Bluetooth LE needs it.
///
/// Source: Core Specification 5.4, Vol 4, Part E, 5.4 and 7.7.
enum HCIPacket: Sendable {
    case advertisements([AdvertisingReport])
    /// A link of Bluetooth LE is up. The role 0 means that the host is the central.
    case connected(handle: UInt16, DeviceIdentity, isCentral: Bool)
    case disconnected(handle: UInt16)
    case acl(handle: UInt16, isStart: Bool, ArraySlice<UInt8>)
    /// A link of classic Bluetooth is up.
    case classicConnected(handle: UInt16)
    /// A packet of classic Bluetooth that is not on a link of its own, such as an inquiry result or audio.
    case classic
    /// A packet without meaning for devices, such as a command and its result.
    case other
    case malformed

    init(_ bytes: [UInt8]) {
        var cursor = ByteCursor(bytes)
        switch cursor.uint8() {
        case PacketType.acl: self = Self.acl(cursor) ?? .malformed
        case PacketType.event: self = Self.event(cursor) ?? .malformed
        case PacketType.command, PacketType.isochronous: self = .other
        case PacketType.synchronous: self = .classic
        default: self = .malformed
        }
    }

    private static func acl(_ cursor: ByteCursor) -> HCIPacket? {
        var cursor = cursor
        guard let word = cursor.uint16(), let length = cursor.uint16(), let data = cursor.take(Int(length)) else {
            return nil
        }
        return .acl(handle: word & 0x0FFF, isStart: word >> 12 & 3 != 1, data)
    }

    private static func event(_ cursor: ByteCursor) -> HCIPacket? {
        var cursor = cursor
        guard let code = cursor.uint8(), let length = cursor.uint8(), let parameters = cursor.take(Int(length)) else {
            return nil
        }
        var body = ByteCursor(parameters)
        switch code {
        case 0x03:
            guard let status = body.uint8(), let handle = body.uint16() else { return nil }
            return status == 0 ? .classicConnected(handle: handle & 0x0FFF) : .classic
        case 0x05:
            guard let status = body.uint8(), let handle = body.uint16() else { return nil }
            return status == 0 ? .disconnected(handle: handle & 0x0FFF) : .other
        case 0x01, 0x02, 0x04, 0x06, 0x07, 0x09, 0x12, 0x16...0x18, 0x22, 0x2C, 0x2F, 0x31...0x36, 0x3D:
            return .classic
        case 0x3E: return lowEnergy(body)
        default: return .other
        }
    }

    private static func lowEnergy(_ body: ByteCursor) -> HCIPacket? {
        var body = body
        guard let code = body.uint8() else { return nil }
        switch code {
        case 0x01, 0x0A, 0x29:
            guard let status = body.uint8(), let handle = body.uint16(), let role = body.uint8(),
                let type = body.uint8(), let address = body.take(6)
            else { return nil }
            guard status == 0 else { return .other }
            return .connected(
                handle: handle & 0x0FFF, DeviceIdentity(packet: address, type: type), isCentral: role == 0)
        case 0x02: return AdvertisingReport.legacy(body).map { .advertisements($0) }
        case 0x0D: return AdvertisingReport.extended(body).map { .advertisements($0) }
        default: return .other
        }
    }
}
