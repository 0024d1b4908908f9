/// One AD structure of an advertisement: its type and its data.
///
/// ``AdvertisementData/structures`` returns the structures of a packet, also those of types that the library does not
/// interpret. Source: Core Specification Supplement, Part A.
public struct ADStructure: Hashable, Sendable {
    /// The AD type, for example 0x09 for the complete local name.
    ///
    /// Source: Bluetooth SIG, Assigned Numbers, 2.3.
    public let type: UInt8
    /// The data after the type.
    public let bytes: [UInt8]

    /// Makes a structure, for example to compare it with a received one.
    public init(type: UInt8, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

extension AdvertisementData {
    /// Makes the advertised data of one packet, for example to test a parser with recorded bytes.
    ///
    /// The packet is an advertisement, a scan response, or one after the other. Structures that the packet does not
    /// contain completely are ignored. If several structures have data of the same company or service, the last one
    /// counts; ``structures`` has all of them.
    ///
    /// - Parameter packet: The AD structures as the device sends them; they become ``rawData``.
    public init(packet: [UInt8]) {
        self.init()
        _ = values.take(packet, packet.indices)
    }

    /// The AD structures of ``rawData``, in the order in which they were sent; empty without raw data.
    ///
    /// Each access reads the raw data. A structure that is longer than the rest of the packet is omitted.
    public var structures: [ADStructure] {
        guard let rawData else { return [] }
        var walk = ADStructureWalk(rawData.indices)
        var structures: [ADStructure] = []
        while let structure = walk.next(in: rawData) {
            structures.append(ADStructure(type: structure.type, bytes: Array(rawData[structure.data])))
        }
        return structures
    }
}
