import DBus

/// A monitor's pattern: bytes at an offset of one advertisement field.
///
/// Source: BlueZ 5.66, src/shared/ad.c.
struct AdvertisementPattern: Hashable {
    let offset: Int
    let type: UInt8
    let bytes: [UInt8]

    private static let longest = 31

    /// Returns nil if the pattern is malformed or empty, or extends beyond 31 bytes (Q67).
    init?(_ value: Value) {
        guard case .structure(let parts) = value, parts.count == 3, case .byte(let offset) = parts[0],
            case .byte(let type) = parts[1], case .bytes(let bytes) = parts[2], !bytes.isEmpty,
            Int(offset) + bytes.count <= Self.longest, type != 0
        else { return nil }
        self.offset = Int(offset)
        self.type = type
        self.bytes = bytes
    }

    func matches(_ field: Field) -> Bool {
        field.type == type && field.data.count >= offset + bytes.count
            && field.data.dropFirst(offset).starts(with: bytes)
    }

    /// One field of an advertisement: its AD type and its data.
    struct Field {
        let type: UInt8
        let data: [UInt8]
    }
}

extension AdvertisingReport {
    /// The AD fields of the packet, except for the name.
    ///
    /// The name is in the scan response, which a monitor does not request (Q67).
    /// Sources: Bluetooth Core Supplement, Part A; Assigned Numbers, 2.3.
    var fields: [AdvertisementPattern.Field] {
        var fields: [AdvertisementPattern.Field] = []
        func add(_ type: UInt8, _ data: [UInt8]) { fields.append(.init(type: type, data: data)) }
        if flags != 0 { add(0x01, [flags]) }
        for (size, type) in [(2, 0x03), (4, 0x05), (16, 0x07)] as [(Int, UInt8)] {
            let these = services.map(Self.bytes(of:)).filter { $0.count == size }
            if !these.isEmpty { add(type, these.flatMap(\.self)) }
        }
        if let txPower { add(0x0A, [UInt8(truncatingIfNeeded: txPower)]) }
        for (service, data) in serviceData {
            let uuid = Self.bytes(of: service)
            add(uuid.count == 2 ? 0x16 : uuid.count == 4 ? 0x20 : 0x21, uuid + data)
        }
        if let appearance { add(0x19, [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]) }
        for (company, data) in manufacturerData {
            add(0xFF, [UInt8(company & 0xFF), UInt8(company >> 8)] + data)
        }
        return fields
    }

    /// Returns the bytes of a UUID in its shortest form, little-endian.
    private static func bytes(of uuid: String) -> [UInt8] {
        let digits = Array(uuid.utf8.filter { $0 != UInt8(ascii: "-") })
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count - 1, by: 2) {
            bytes.append(UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) ?? 0)
        }
        guard uuid.hasSuffix("-0000-1000-8000-00805f9b34fb") else { return bytes.reversed() }
        return (bytes[0] == 0 && bytes[1] == 0 ? Array(bytes[2..<4]) : Array(bytes[0..<4])).reversed()
    }
}
