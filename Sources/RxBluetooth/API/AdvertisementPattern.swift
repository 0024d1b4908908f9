/// A pattern for one AD structure of an advertisement, by which a passive scan selects advertisements.
///
/// An advertisement matches if one of its AD structures has the type ``type`` and contains ``bytes`` at ``offset``.
/// bluetoothd and the controller compare patterns with the advertisement only, not with a scan response, because a
/// passive scan does not request one. See ``ScanMode/passive(patterns:)``.
///
/// Source: BlueZ, `advertisement-monitor-api.txt`, `Patterns`.
public struct AdvertisementPattern: Hashable, Sendable {
    /// The AD type of the structure, for example 0xFF for manufacturer data.
    ///
    /// Source: Bluetooth SIG, Assigned Numbers, 2.3.
    public var type: UInt8
    /// The place of the first compared byte in the data of the structure, which begins after the type.
    public var offset: Int
    /// The bytes that the data has to contain at ``offset``.
    public var bytes: [UInt8]

    /// The greatest sum of the offset and the number of bytes.
    public static let mostBytes = 31

    /// Creates a pattern.
    ///
    /// The pattern is valid if the type is not 0, there is at least one byte, the offset is not negative, and the bytes
    /// end within the first 31 bytes of the data. A scan with an invalid pattern fails with
    /// ``BluetoothError/Kind/invalidArgument`` before anything is sent.
    ///
    /// - Parameters:
    ///   - type: The AD type of the structure.
    ///   - offset: The place of the first compared byte. Default: 0, the beginning of the data.
    ///   - bytes: The bytes to compare.
    public init(type: UInt8, offset: Int = 0, bytes: [UInt8]) {
        self.type = type
        self.offset = offset
        self.bytes = bytes
    }

    /// Patterns for the usual values of the flags, which match the advertisements of almost all devices.
    ///
    /// Devices that advertise without flags, for example some beacons, do not match.
    public static let almostAll: [AdvertisementPattern] = [0x02, 0x04, 0x05, 0x06, 0x1A].map {
        AdvertisementPattern(type: ADType.flags, bytes: [$0])
    }

    /// Returns a pattern for service data.
    ///
    /// The pattern matches data that is sent with the shortest form of the UUID, as usual.
    ///
    /// - Parameters:
    ///   - service: The UUID of the service.
    ///   - bytes: The beginning of the data. Default: empty, any data.
    public static func serviceData(
        of service: BluetoothUUID, startingWith bytes: [UInt8] = []
    ) -> AdvertisementPattern {
        let uuid = service.shortestBytes
        let type =
            switch uuid.count {
            case 2: ADType.serviceData16
            case 4: ADType.serviceData32
            default: ADType.serviceData128
            }
        return AdvertisementPattern(type: type, bytes: uuid + bytes)
    }

    /// Returns a pattern for manufacturer data.
    ///
    /// - Parameters:
    ///   - company: The company identifier. Source: Bluetooth SIG, Assigned Numbers, 7.1.
    ///   - bytes: The beginning of the data. Default: empty, any data.
    public static func manufacturerData(of company: UInt16, startingWith bytes: [UInt8] = []) -> AdvertisementPattern {
        AdvertisementPattern(
            type: ADType.manufacturerData, bytes: [UInt8(company & 0xFF), UInt8(company >> 8)] + bytes)
    }

    /// Why the pattern is invalid; nil if it is valid.
    var flaw: String? {
        if type == 0 { return "The type of an AdvertisementPattern must not be 0" }
        if bytes.isEmpty { return "An AdvertisementPattern needs at least one byte" }
        guard offset < 0 || bytes.count > Self.mostBytes || offset > Self.mostBytes - bytes.count else { return nil }
        return "The bytes of an AdvertisementPattern must lie within the first \(Self.mostBytes) bytes of the data"
    }

    /// Returns whether a packet matches one of these valid patterns. Allocates no memory.
    static func matches(any patterns: [AdvertisementPattern], _ buffer: [UInt8], _ packet: Range<Int>) -> Bool {
        var walk = ADStructureWalk(packet)
        while let structure = walk.next(in: buffer) {
            for pattern in patterns where pattern.matches(structure, buffer) { return true }
        }
        return false
    }

    private func matches(_ structure: ADStructureWalk.Structure, _ buffer: [UInt8]) -> Bool {
        guard structure.type == type, structure.data.count >= offset + bytes.count else { return false }
        let start = structure.data.lowerBound + offset
        for index in bytes.indices where buffer[start + index] != bytes[index] { return false }
        return true
    }
}

extension BluetoothUUID {
    /// The shortest form of the UUID: 2, 4 or 16 bytes with the last byte first, as in advertisements.
    fileprivate var shortestBytes: [UInt8] {
        // The description is the shortest form.
        let digits = description.split(separator: "-").joined()
        return stride(from: digits.count - 2, through: 0, by: -2).map { start in
            UInt8(digits.dropFirst(start).prefix(2), radix: 16) ?? 0
        }
    }
}
