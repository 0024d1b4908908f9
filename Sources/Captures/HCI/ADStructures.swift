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

    /// Divides data between its structures. A name that is longer than a part is shortened.
    ///
    /// Readers such as Wireshark do not join the parts. Only a structure other than a name may be divided.
    static func parts(of data: [UInt8], longest: Int) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = data[...]
        while let length = rest.first {
            var structure = rest.prefix(Int(length) + 1)
            rest = rest.dropFirst(structure.count)
            if structure.count > longest, structure.dropFirst().first == 0x09 {
                structure = shortenedName(structure.dropFirst(2), longest: longest)
            }
            if let last = parts.last, last.count + structure.count <= longest {
                parts[parts.count - 1] += structure
                continue
            }
            while !structure.isEmpty {
                parts.append(structure.prefix(longest))
                structure = structure.dropFirst(longest)
            }
        }
        return parts
    }

    /// Returns the structure Shortened Local Name, which ends between two characters.
    private static func shortenedName(_ name: ArraySlice<UInt8>, longest: Int) -> ArraySlice<UInt8> {
        // A continuation byte of UTF-8 after the end means that the end is within a character.
        var end = name.index(name.startIndex, offsetBy: longest - 2, limitedBy: name.endIndex) ?? name.endIndex
        while end < name.endIndex, end > name.startIndex, name[end] & 0xC0 == 0x80 { end -= 1 }
        let name = name[..<end]
        return [UInt8(name.count + 1), 0x08] + name
    }

    private mutating func append(_ type: UInt8, _ data: [UInt8]) {
        let data = data.prefix(Self.longestData)
        bytes += [UInt8(data.count + 1), type] + data
    }
}
