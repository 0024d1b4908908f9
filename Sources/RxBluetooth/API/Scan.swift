public import FoundationEssentials
public import Rx

extension BluetoothManager {
    /// Scans for peripherals.
    ///
    /// Emits each peripheral that is heard, as ``ScanOptions`` say, and never completes. Fails when Bluetooth cannot be
    /// used or ceases to be: ``BluetoothError/Kind/adapterOff``, ``BluetoothError/Kind/daemonUnavailable`` and others (S13); with ``ScanOptions/resumes`` it waits and goes on instead.
    /// Options that cannot be met fail with ``BluetoothError/Kind/invalidArgument``, before anything else happens.
    /// Cold: scanning begins with the first subscription to any scan of this manager and stops when the last is
    /// disposed of; further subscriptions share it (S11). Which of the scanned peripherals each gets is decided here, since the
    /// filters of all programs are merged by bluetoothd (Q43).
    /// Source: BlueZ, `adapter-api.txt`, `StartDiscovery`.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these, or send data of one. Default, and empty: all.
    ///   - options: What is reported, and how often.
    public func scanForPeripherals(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions()
    ) -> Observable<ScannedPeripheral> {
        access.scan(services, options, on: selection)
    }

    /// The peripherals of the adapter that bluetoothd knows now, without scanning, by address. They may be far away.
    /// Fails when Bluetooth cannot be used.
    public func knownPeripherals() -> Single<[ScannedPeripheral]> {
        access.operation(.scan) { [selection] (client, emitter) throws(BluetoothError) in
            emitter.finish(client.scans.known(on: try client.chooseAdapter(selection)))
        }
        .asSingle()
    }
}

/// How a scan reports, and what it does when it is interrupted. The defaults are those of CoreBluetooth.
public struct ScanOptions: Hashable, Sendable {
    /// Whether every advertisement is reported. Where not, which is the default, a peripheral is reported when it is
    /// first heard, and again when its name or the services that it lists change.
    public var allowsDuplicates: Bool
    /// Whether to begin with the peripherals that bluetoothd remembers, marked ``ScannedPeripheral/isCached``. They may
    /// be far away (Q53). Default: not.
    public var includesKnown: Bool
    /// Whether the scan waits where Bluetooth cannot be used, and goes on by itself when it can (again): after bluetoothd was
    /// started anew, the adapter was switched on or plugged in, the computer woke up, or the bus came back. It fails
    /// then only where waiting is of no use, and ``BluetoothManager/state`` tells why it is silent. What was reported
    /// before an interruption is reported again after it. Default: not; the scan fails.
    public var resumes: Bool
    /// After how long a silence of all devices scanning is started anew, because a controller may fall silent while everything
    /// says that it scans (Q42). It takes this long at least and twice as long at most, and where the air stays silent, each time
    /// twice as long as the time before, up to 16 times. Scans of one manager share the shortest. Default nil: never.
    /// Less than 0.1 s counts as 0.1 s; with zero and less, the scan fails with ``BluetoothError/Kind/invalidArgument``.
    public var restartsAfterSilence: Duration?

    /// Whether only services count that an advertisement lists, and not those that it merely has data of. bluetoothd can choose by
    /// these alone: where all scans of the manager ask so and name services, it is given the union of these, and leaves out all
    /// other devices, which saves the work for each of their packets where there are many. Default: not.
    public var listedServicesOnly: Bool
    /// Which of the peripherals are reported: those that fit one of these (S17). Default, and empty: all.
    public var filters: [ScanFilter]

    /// Makes options.
    public init(
        allowsDuplicates: Bool = false, includesKnown: Bool = false, resumes: Bool = false,
        restartsAfterSilence: Duration? = nil, listedServicesOnly: Bool = false, filters: [ScanFilter] = []
    ) {
        self.allowsDuplicates = allowsDuplicates
        self.includesKnown = includesKnown
        self.resumes = resumes
        self.restartsAfterSilence = restartsAfterSilence
        self.listedServicesOnly = listedServicesOnly
        self.filters = filters
    }
}

/// One sighting of a peripheral by a scan.
public struct ScannedPeripheral: Sendable {
    /// The peripheral; the same object each time that it is seen.
    public let peripheral: Peripheral
    /// What it advertised.
    public let advertisementData: AdvertisementData
    /// The strength at which it was heard, in dBm, from -127 to +20; nil where bluetoothd does not know it (Q55).
    public let rssi: Int16?
    /// Whether this comes from bluetoothd's memory: it was not heard since this scan began (Q53).
    public let isCached: Bool
    /// When this process heard of it.
    public let timestamp: Date
}

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
