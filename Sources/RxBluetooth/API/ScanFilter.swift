/// What an advertisement has to have. A filter wants everything that it says, and of several filters one suffices (S17).
///
/// It is applied here, for bluetoothd merges filters with those of all other programs (Q43); only the least strength of all scans
/// is left to bluetoothd as well. What was not
/// advertised fits no filter that asks for it (S18).
public struct ScanFilter: Hashable, Sendable {
    /// What a name has to be.
    public enum NamePattern: Hashable, Sendable {
        /// This, letter by letter.
        case exact(String)
        /// Anything that begins so.
        case prefix(String)
    }

    /// A device's address. Default nil: any.
    public var address: BluetoothAddress?
    /// The advertised name. Default nil: any, or none.
    public var name: NamePattern?
    /// Services that have all to be listed, or to have data. Default: any, or none.
    public var services: [BluetoothUUID]
    /// Data of manufacturers, by company number; all have to be there. Default: any, or none.
    public var manufacturerData: [UInt16: DataPattern]
    /// Data of services; all have to be there. Default: any, or none.
    public var serviceData: [BluetoothUUID: DataPattern]
    /// The least strength, in dBm. Default nil: any, or unknown.
    public var minimumRSSI: Int16?

    /// Makes a filter.
    public init(
        address: BluetoothAddress? = nil, name: NamePattern? = nil, services: [BluetoothUUID] = [],
        manufacturerData: [UInt16: DataPattern] = [:], serviceData: [BluetoothUUID: DataPattern] = [:],
        minimumRSSI: Int16? = nil
    ) {
        self.address = address
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.minimumRSSI = minimumRSSI
    }

    func matches(_ record: DeviceRecord) -> Bool {
        let heard = record.advertisement
        if let address, address != record.key.address { return false }
        if let minimumRSSI, (record.rssi ?? .min) < minimumRSSI { return false }
        switch name {
        case nil: break
        case .exact(let name): if heard.localName != name { return false }
        case .prefix(let start): if heard.localName?.hasPrefix(start) != true { return false }
        }
        return services.allSatisfy { heard.contains($0) }
            && manufacturerData.allSatisfy { $1.matches(heard.manufacturerData[$0]) }
            && serviceData.allSatisfy { $1.matches(heard.serviceData[$0]) }
    }
}

/// The beginning of data, compared bit by bit where a mask says so (S19).
public struct DataPattern: Hashable, Sendable {
    /// The bytes, with those bits cleared that do not matter, as far as any matters.
    private let bytes: [UInt8]
    private let mask: [UInt8]

    /// Any data, also empty.
    public static let any = DataPattern(bytes: [], mask: [])

    private init(bytes: [UInt8], mask: [UInt8]) {
        self.bytes = bytes
        self.mask = mask
    }

    /// Data that begins so.
    ///
    /// - Parameters:
    ///   - bytes: The beginning, at least one byte.
    ///   - mask: The bits that matter, as long as `bytes`. Default nil: all.
    /// - Throws: ``BluetoothError/Kind/invalidArgument`` where there are no bytes, or a mask of another length (S20).
    public init(_ bytes: [UInt8], mask: [UInt8]? = nil) throws(BluetoothError) {
        let mask = mask ?? Array(repeating: 0xFF, count: bytes.count)
        guard !bytes.isEmpty, mask.count == bytes.count else {
            throw BluetoothError(
                .invalidArgument,
                dbusMessage: bytes.isEmpty ? "A pattern needs data" : "A mask is as long as its data")
        }
        // What the mask does not look at need not be there.
        let count = (mask.lastIndex { $0 != 0 } ?? -1) + 1
        self.init(bytes: zip(bytes, mask).prefix(count).map { $0 & $1 }, mask: Array(mask.prefix(count)))
    }

    func matches(_ data: [UInt8]?) -> Bool {
        guard let data, data.count >= bytes.count else { return false }
        return bytes.indices.allSatisfy { data[$0] & mask[$0] == bytes[$0] }
    }
}
