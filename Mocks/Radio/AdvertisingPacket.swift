/// Encodes an advertisement as AD structures. Source: Core Specification Supplement, Part A.
enum AdvertisingPacket {
    static func bytes(_ advertisement: SimulatedAdvertisement, includingName: Bool = true) -> [UInt8] {
        var packet: [UInt8] = []
        if let flags = advertisement.flags { packet.append(structure: 0x01, [flags]) }
        for list in lists(of: advertisement.services.map(uuid)) { packet.append(structure: list.type, list.bytes) }
        for (company, data) in advertisement.manufacturerData.sorted(by: { $0.key < $1.key }) {
            packet.append(structure: 0xFF, littleEndian(company) + data)
        }
        for (service, data) in advertisement.serviceData.map({ (uuid($0.key), $0.value) }).sorted(by: isBefore) {
            packet.append(structure: serviceDataType[service.count] ?? 0x21, service + data)
        }
        if let power = advertisement.txPower { packet.append(structure: 0x0A, [UInt8(bitPattern: power)]) }
        if let appearance = advertisement.appearance { packet.append(structure: 0x19, littleEndian(appearance)) }
        if includingName, let name = advertisement.name, !name.isEmpty { packet.append(structure: 0x09, name) }
        return packet
    }

    /// Returns the lists of services. Services of one width that follow each other are in one list, if there is room.
    private static func lists(of services: [[UInt8]]) -> [(type: UInt8, bytes: [UInt8])] {
        var lists: [(type: UInt8, bytes: [UInt8])] = []
        for service in services {
            let type = listType[service.count] ?? 0x07
            if let last = lists.last, last.type == type, last.bytes.count + service.count <= longestData {
                lists[lists.count - 1].bytes += service
            } else {
                lists.append((type, service))
            }
        }
        return lists
    }

    /// Returns the shortest form of a UUID, with its last byte first.
    private static func uuid(_ text: String) -> [UInt8] {
        let full = FullUUID.described(text)
        let digits = full.split(separator: "-").joined()
        let bytes = stride(from: 0, to: 32, by: 2).map { start in
            UInt8(digits.dropFirst(start).prefix(2), radix: 16) ?? 0
        }
        guard full.hasSuffix(FullUUID.base) else { return bytes.reversed() }
        return Array((bytes[0] == 0 && bytes[1] == 0 ? bytes[2..<4] : bytes[0..<4]).reversed())
    }

    private static func isBefore(_ one: ([UInt8], [UInt8]), _ other: ([UInt8], [UInt8])) -> Bool {
        one.0.lexicographicallyPrecedes(other.0)
    }

    private static func littleEndian(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    /// The longest data of one structure: its length is one byte, and counts the type also.
    fileprivate static let longestData = 254
    private static let listType: [Int: UInt8] = [2: 0x03, 4: 0x05, 16: 0x07]
    private static let serviceDataType: [Int: UInt8] = [2: 0x16, 4: 0x20, 16: 0x21]
}

extension [UInt8] {
    fileprivate mutating func append(structure type: UInt8, _ data: [UInt8]) {
        let data = data.prefix(AdvertisingPacket.longestData)
        append(UInt8(data.count + 1))
        append(type)
        append(contentsOf: data)
    }
}
