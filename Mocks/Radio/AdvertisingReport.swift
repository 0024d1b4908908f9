import DBus

/// An advertisement as bluetoothd receives it. One report is created once and received many times.
final class AdvertisingReport {
    let isConnectable: Bool
    let txPower: Int16?
    let appearance: UInt16?
    let flags: UInt8
    /// The service UUIDs in full form, in the order in which they are sent.
    let services: [String]
    let manufacturerData: [(key: UInt16, data: [UInt8])]
    let serviceData: [(key: String, data: [UInt8])]
    /// The AD structures of the packet.
    private(set) lazy var packet = AdvertisingPacket.bytes(advertisement)
    /// The AD structures of the packet without its scan response, which contains the name.
    private(set) lazy var packetWithoutName = AdvertisingPacket.bytes(advertisement, includingName: false)
    private lazy var cutName = advertisement.name.flatMap { AdvertisingReport.text($0, isCut: true) }
    private lazy var replacedName = advertisement.name.flatMap { AdvertisingReport.text($0, isCut: false) }
    private let advertisement: SimulatedAdvertisement

    init(_ advertisement: SimulatedAdvertisement) {
        self.advertisement = advertisement
        isConnectable = advertisement.isConnectable
        txPower = advertisement.txPower.map(Int16.init)
        appearance = advertisement.appearance
        flags = advertisement.flags ?? 0
        services = advertisement.services.map(FullUUID.described)
        manufacturerData = advertisement.manufacturerData.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        serviceData = advertisement.serviceData.map { (FullUUID.described($0.key), $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Whether the flags contain limited or general discoverable mode.
    var isDiscoverable: Bool { flags & 0x03 != 0 }

    /// Returns the name as bluetoothd converts it; nil if no name is sent.
    func name(_ differences: VersionDifferences) -> String? {
        differences.has(.cutNames) ? cutName : replacedName
    }

    /// Returns a name in UTF-8, converted as in src/eir.c; nil if it has no bytes.
    ///
    /// The name ends at a NUL. The text may be empty although there are bytes.
    ///
    /// - Parameter isCut: Whether bluetoothd has ``SimulatedFeature/cutNames``.
    static func text(_ name: [UInt8], isCut: Bool) -> String? {
        guard !name.isEmpty else { return nil }
        let bytes = name.prefix { $0 != 0 }
        let valid = String(validating: bytes, as: UTF8.self)
        if let valid, !isCut { return valid }
        let text = valid ?? (isCut ? validBeginning(of: bytes) : replacingBytes(of: bytes))
        let trimmed = text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// Returns the longest beginning that is UTF-8.
    private static func validBeginning(of bytes: ArraySlice<UInt8>) -> String {
        for count in stride(from: bytes.count - 1, to: 0, by: -1) {
            if let text = String(validating: bytes.prefix(count), as: UTF8.self) { return text }
        }
        return ""
    }

    /// Returns the bytes as ASCII, with a space for each byte above 0x7F.
    private static func replacingBytes(of bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
