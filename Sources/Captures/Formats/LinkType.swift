/// The link types of captures with packets of a Bluetooth host.
///
/// Source: the list of link types of tcpdump; btsnoop.h of BlueZ; the format of Symbian's btsnoop.
enum LinkType: Sendable {
    /// Packets with their type in front.
    case uart
    /// A direction of four bytes, then the packet with its type in front.
    case uartWithDirection
    /// A pseudo header with the adapter and an operation code, then the packet without its type.
    case linuxMonitor
    /// Packets without their type, which follows from the flags of the record (btsnoop only).
    case untyped

    /// Makes the link type of a pcap or pcapng file; nil if it is not supported.
    init?(pcap number: UInt32) {
        switch number {
        case 187: self = .uart
        case 201: self = .uartWithDirection
        case 254: self = .linuxMonitor
        default: return nil
        }
    }

    /// Makes the link type of a btsnoop file; nil if it is not supported.
    init?(snoop number: UInt32) {
        switch number {
        case 1001: self = .untyped
        case 1002: self = .uart
        case 2001: self = .linuxMonitor
        default: return nil
        }
    }

    /// Returns the packet in the data of a record; nil if the record contains no packet of a controller.
    ///
    /// - Parameter flags: The flags of the record in a btsnoop file; nil in other files.
    func packet(_ data: ArraySlice<UInt8>, flags: UInt32?, time: Int64, number: Int) -> CapturePacket? {
        var data = ByteCursor(data)
        var direction = flags.map { $0 & 1 == 0 ? CapturePacket.Direction.sentByHost : .receivedByHost }
        var type: UInt8?
        var controller: UInt32 = 0
        switch self {
        case .uart: break
        case .uartWithDirection:
            guard let number = data.uint32(.big) else { return nil }
            direction = number & 1 == 0 ? .sentByHost : .receivedByHost
        case .linuxMonitor:
            let code: UInt16
            if let flags {
                code = UInt16(truncatingIfNeeded: flags)
                controller = flags >> 16
            } else {
                guard let adapter = data.uint16(.big), let number = data.uint16(.big) else { return nil }
                code = number
                controller = UInt32(adapter)
            }
            guard let operation = Self.operations[code] else { return nil }
            (type, direction) = operation
        case .untyped:
            let isControl = (flags ?? 0) & 2 != 0
            type = isControl ? direction == .sentByHost ? PacketType.command : PacketType.event : PacketType.acl
        }
        let bytes = (type.map { [$0] } ?? []) + Array(data.takeRest())
        guard bytes.count > 1 else { return nil }
        return CapturePacket(number: number, time: time, direction: direction, controller: controller, bytes: bytes)
    }

    /// The operation codes of Linux's monitor channel that carry packets.
    private static let operations: [UInt16: (UInt8, CapturePacket.Direction?)] = [
        2: (PacketType.command, .sentByHost), 3: (PacketType.event, .receivedByHost),
        4: (PacketType.acl, .sentByHost), 5: (PacketType.acl, .receivedByHost),
        6: (PacketType.synchronous, .sentByHost), 7: (PacketType.synchronous, .receivedByHost),
        18: (PacketType.isochronous, .sentByHost), 19: (PacketType.isochronous, .receivedByHost),
    ]
}
