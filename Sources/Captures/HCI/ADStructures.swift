/// Makes the AD structures of an advertisement. Source: Core Specification Supplement, Part A.
package struct ADStructures: Sendable {
    package private(set) var bytes: [UInt8] = []

    /// The longest data of one structure, because its length is one byte and counts the type also.
    private static let longestData = 254

    package init() {}

    package mutating func append(flags: UInt8) { append(0x01, [flags]) }

    package mutating func append(txPower: Int8) { append(0x0A, [UInt8(bitPattern: txPower)]) }

    package mutating func append(appearance: UInt16) {
        append(0x19, [UInt8(appearance & 0xFF), UInt8(appearance >> 8)])
    }

    package mutating func append(name: some Sequence<UInt8>) { append(0x09, Array(name)) }

    /// Appends lists of services. Services of one width that follow each other are in one list.
    package mutating func append(services: [AttributeUUID]) {
        var rest = services[...]
        while let width = rest.first?.bytes.count {
            let list = rest.prefix { $0.bytes.count == width }.prefix(Self.longestData / width)
            append(width == 2 ? 0x03 : 0x07, list.flatMap(\.bytes))
            rest = rest.dropFirst(list.count)
        }
    }

    package mutating func append(company: UInt16, _ data: [UInt8]) {
        append(0xFF, [UInt8(company & 0xFF), UInt8(company >> 8)] + data)
    }

    package mutating func append(service: AttributeUUID, _ data: [UInt8]) {
        append(service.bytes.count == 2 ? 0x16 : 0x21, service.bytes + data)
    }

    private mutating func append(_ type: UInt8, _ data: [UInt8]) {
        let data = data.prefix(Self.longestData)
        bytes += [UInt8(data.count + 1), type] + data
    }
}
