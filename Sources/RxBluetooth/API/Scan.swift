public import FoundationEssentials
public import Rx

extension BluetoothManager {
    /// Scans for peripherals.
    ///
    /// Emits each peripheral that is received, once or for every advertisement, depending on
    /// ``ScanOptions/allowsDuplicates``, and never completes. Cold and shared: all scans of a manager over one adapter
    /// share one discovery session. The first subscription starts the session, and disposing of the last subscription
    /// stops it. Each subscription receives only peripherals that match its own arguments. Delivers on the manager's
    /// queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/poweredOff``, ``BluetoothError/Kind/daemonUnavailable`` or a similar error if Bluetooth
    ///   cannot be used, at the start or later. With ``ScanOptions/resumes``, the scan waits instead of failing.
    /// - ``BluetoothError/Kind/busy`` if the controller refuses to scan for more than 11 s.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not answer within ``Deadlines/startScan``.
    /// - ``BluetoothError/Kind/invalidArgument`` for invalid options, before anything is sent.
    /// - ``BluetoothError/Kind/unsupported`` with the mode ``ScanMode/passive(patterns:)``, if bluetoothd or the kernel
    ///   does not support it.
    /// - Other kinds with the source ``ScanSource/management``, see there.
    ///
    /// Source: BlueZ, `adapter-api.txt`, `StartDiscovery`; `advertisement-monitor-api.txt`.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these services or send data of one. Default: empty, all
    ///     peripherals.
    ///   - options: Which peripherals are emitted, how often, and what happens after an interruption.
    public func scanForPeripherals(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions()
    ) -> Observable<ScannedPeripheral> {
        access.scan(services, options, on: selection)
    }

    /// Lists the peripherals that bluetoothd knows, ordered by address, without scanning.
    ///
    /// Emits the list once. The peripherals may be out of range. Cold. Delivers on the manager's queue. Fails if
    /// Bluetooth cannot be used.
    public func knownPeripherals() -> Single<[ScannedPeripheral]> {
        access.operation(.listPeripherals) { [selection] (client, emitter) throws(BluetoothError) in
            emitter.finish(client.scans.known(on: try client.chooseAdapter(selection)))
        }
        .asSingle()
    }
}

/// The options of a scan. The defaults are those of CoreBluetooth.
public struct ScanOptions: Hashable, Sendable {
    /// Whether a peripheral is emitted for each of its advertisements. Default: false.
    ///
    /// With false, a peripheral is emitted when it is first received, and again when its name or the services that it
    /// lists change. If bluetoothd removes the device and finds it again, the peripheral is also emitted again.
    public var allowsDuplicates: Bool
    /// Whether the scan first emits the peripherals that bluetoothd already knows. Default: false.
    ///
    /// Their scan results have ``ScannedPeripheral/isCached`` set, and the peripherals may be out of range.
    public var includesKnown: Bool
    /// Whether the scan continues by itself after an interruption. Default: false, the scan fails.
    ///
    /// With true, the scan waits while Bluetooth cannot be used, for example because bluetoothd restarts, the adapter
    /// is off or unplugged, or the computer is suspended. ``BluetoothManager/state`` emits the reason. After temporary
    /// errors such as ``BluetoothError/Kind/busy``, the scan starts again after pauses that grow from 0.25 s to 30 s.
    /// The scan fails only with other errors. After an interruption, peripherals are emitted again.
    public var resumes: Bool
    /// How long the scan may receive no advertisement before it is restarted. Default: nil, no restart.
    ///
    /// Controllers sometimes stop reporting advertisements while they seem to scan. The restart happens after one to
    /// two times this duration. While no advertisement is received, the duration doubles with each restart, up to 16
    /// times its value. Scans that share a discovery session use the shortest duration.
    ///
    /// The minimum is 0.1 s. With zero or less, the scan fails with ``BluetoothError/Kind/invalidArgument``.
    public var restartsAfterSilence: Duration?

    /// Whether only listed services match, so that service data alone does not match. Default: false.
    ///
    /// If all scans of the manager set this option and request services, bluetoothd filters by these services, which
    /// saves work if many other devices advertise. bluetoothd cannot filter by service data.
    public var listedServicesOnly: Bool
    /// Filters; a peripheral has to match at least one of them. Default: empty, all peripherals.
    public var filters: [ScanFilter]
    /// The buffer before a subscriber that is slower than the advertisements.
    ///
    /// Default: ``ScanBuffer/latest``.
    ///
    /// ``BluetoothManager/observePresence(withServices:options:presence:)`` ignores this option: no change is lost.
    public var buffer: ScanBuffer
    /// Where the scan receives advertisements from. Default: ``ScanSource/automatic``.
    public var source: ScanSource
    /// Whether the scan sends requests to the advertising devices. Default: ``ScanMode/active``.
    public var mode: ScanMode

    /// Creates options. The defaults are those of the properties.
    public init(
        allowsDuplicates: Bool = false, includesKnown: Bool = false, resumes: Bool = false,
        restartsAfterSilence: Duration? = nil, listedServicesOnly: Bool = false, filters: [ScanFilter] = [],
        buffer: ScanBuffer = .latest, source: ScanSource = .automatic, mode: ScanMode = .active
    ) {
        self.allowsDuplicates = allowsDuplicates
        self.includesKnown = includesKnown
        self.resumes = resumes
        self.restartsAfterSilence = restartsAfterSilence
        self.listedServicesOnly = listedServicesOnly
        self.filters = filters
        self.buffer = buffer
        self.source = source
        self.mode = mode
    }

    /// The patterns of a passive scan; nil for an active scan.
    var patterns: [AdvertisementPattern]? {
        if case .passive(let patterns) = mode { patterns } else { nil }
    }
}

/// Whether a scan sends requests to the advertising devices.
public enum ScanMode: Hashable, Sendable {
    /// The adapter requests a scan response from each device, for example for its name.
    case active
    /// The adapter only listens, and bluetoothd reports advertisements that match one of the patterns.
    ///
    /// A passive scan sends nothing, needs less energy, and receives no scan responses, which usually contain the name.
    /// An active scan with the same adapter, also one of another program, sends requests nevertheless.
    ///
    /// The mode needs bluetoothd's experimental mode (`bluetoothd -E`) and a kernel with advertisement monitors.
    /// Without them the scan fails with ``BluetoothError/Kind/unsupported``. It does not become an active scan by
    /// itself; a program that accepts one continues with it:
    ///
    /// ```swift
    /// let passive = ScanOptions(mode: .passive(patterns: AdvertisementPattern.almostAll))
    /// manager.scanForPeripherals(options: passive)
    ///     .catch { error in
    ///         guard (error as? BluetoothError)?.kind == .unsupported else { throw error }
    ///         return manager.scanForPeripherals()
    ///     }
    /// ```
    ///
    /// With ``ScanSource/management``, a scan emits only packets that match its own patterns. Over D-Bus, it emits each
    /// advertisement that matches a pattern of any passive scan of the manager with this adapter, so use
    /// ``ScanOptions/filters`` also if such scans have different patterns. The RSSI over D-Bus changes only with
    /// differences of 8 dB and more.
    ///
    /// At least one pattern is needed, and all have to be valid, see ``AdvertisementPattern/init(type:offset:bytes:)``.
    /// Otherwise the scan fails with ``BluetoothError/Kind/invalidArgument`` before anything is sent.
    case passive(patterns: [AdvertisementPattern])
}

/// The buffer between a scan and a slower subscriber: what to keep if many scan results wait.
///
/// ``BluetoothEvent/Kind/scanResultsDropped(count:total:)`` reports dropped results, and so does
/// ``Diagnosis/ScanStatus/droppedResults``.
public struct ScanBuffer: Hashable, Sendable {
    enum Policy: Hashable, Sendable {
        case latest
        case dropOldest(Int)
        case unbounded
    }

    let policy: Policy

    /// Keeps the latest result of each peripheral if many results wait.
    ///
    /// All results are kept while at most 512 wait. If more wait, those that a newer result of the same peripheral
    /// replaces are dropped. The number of waiting results is at most 512, or twice the number of peripherals.
    public static let latest = ScanBuffer(policy: .latest)

    /// Keeps a number of results, and drops the oldest when another arrives.
    ///
    /// - Parameter capacity: The number of results that the buffer holds; minimum: 1.
    public static func dropOldest(_ capacity: Int) -> ScanBuffer { ScanBuffer(policy: .dropOldest(max(1, capacity))) }

    /// Keeps all results. The memory grows without a limit while the subscriber is too slow.
    public static let unbounded = ScanBuffer(policy: .unbounded)
}

/// A scan result: a peripheral with its advertised data and RSSI.
public struct ScannedPeripheral: Sendable {
    /// The peripheral. All scan results of one peripheral have the same object.
    public let peripheral: Peripheral
    /// The data that the peripheral has advertised.
    public let advertisementData: AdvertisementData
    /// The RSSI in dBm, from −127 to 20; nil if bluetoothd does not report it.
    public let rssi: Int?
    /// Whether bluetoothd had stored the data, and the current discovery session has not received it.
    public let isCached: Bool
    /// The time at which this process received the data, on the clock of the manager's scheduler.
    public let timestamp: Date

    /// Makes a scan result, for example to test code that parses scan results.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral, for example ``Peripheral/init(address:name:)``.
    ///   - advertisementData: The advertised data. Default: none.
    ///   - rssi: The signal strength in dBm. Default: unknown.
    ///   - isCached: Whether bluetoothd had stored the data. Default: false.
    ///   - timestamp: The time at which the data was received. Default: now.
    public init(
        peripheral: Peripheral, advertisementData: AdvertisementData = AdvertisementData(), rssi: Int? = nil,
        isCached: Bool = false, timestamp: Date = Date()
    ) {
        self.peripheral = peripheral
        self.advertisementData = advertisementData
        self.rssi = rssi
        self.isCached = isCached
        self.timestamp = timestamp
    }
}

/// The conditions that a peripheral's advertisement has to match.
///
/// All conditions of a filter have to match. A condition for data that was not advertised does not match. The library
/// applies filters itself, because bluetoothd merges the filters of all programs. Only the lowest ``minimumRSSI`` of
/// all scans is passed to bluetoothd.
public struct ScanFilter: Hashable, Sendable {
    /// A condition for the advertised name.
    public enum NamePattern: Hashable, Sendable {
        /// The name is equal to this text.
        case exact(String)
        /// The name begins with this text.
        case prefix(String)
    }

    /// The address of the device. Default: nil, any address.
    public var address: BluetoothAddress?
    /// The condition for the advertised name. Default: nil, any name or none.
    public var name: NamePattern?
    /// The services that a peripheral has to list or send data of, all of them. Default: none.
    public var services: [BluetoothUUID]
    /// Patterns of manufacturer data by company identifier, all of which have to match. Default: none.
    public var manufacturerData: [UInt16: DataPattern]
    /// Patterns of service data by service UUID, all of which have to match. Default: none.
    public var serviceData: [BluetoothUUID: DataPattern]
    /// The lowest RSSI in dBm; an unknown RSSI does not match. Default: nil, any RSSI.
    public var minimumRSSI: Int?

    /// Creates a filter. Without arguments it matches all peripherals.
    public init(
        address: BluetoothAddress? = nil, name: NamePattern? = nil, services: [BluetoothUUID] = [],
        manufacturerData: [UInt16: DataPattern] = [:], serviceData: [BluetoothUUID: DataPattern] = [:],
        minimumRSSI: Int? = nil
    ) {
        self.address = address
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.minimumRSSI = minimumRSSI
    }

    /// Returns whether a device matches all conditions of the filter.
    func matches(_ record: DeviceRecord) -> Bool {
        let heard = record.advertisement
        if let address, address != record.key.address { return false }
        if let minimumRSSI, (record.rssi.map(Int.init) ?? .min) < minimumRSSI { return false }
        switch name {
        case nil: break
        case .exact(let name): if heard.localName != name { return false }
        case .prefix(let start): if heard.localName?.hasPrefix(start) != true { return false }
        }
        return services.allSatisfy { heard.contains($0) }
            && manufacturerData.allSatisfy { $1.matches(heard.manufacturerData(of: $0)) }
            && serviceData.allSatisfy { $1.matches(heard.serviceData(of: $0)) }
    }
}

/// A pattern for the beginning of data, with an optional mask.
public struct DataPattern: Hashable, Sendable {
    /// The bytes to compare, with ignored bits cleared; ends with the last byte that has a compared bit.
    private let bytes: [UInt8]
    private let mask: [UInt8]

    /// A pattern that matches any data, also empty data.
    public static let any = DataPattern(bytes: [], mask: [])

    private init(bytes: [UInt8], mask: [UInt8]) {
        self.bytes = bytes
        self.mask = mask
    }

    /// Creates a pattern that matches data with this beginning.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the data, at least one byte.
    ///   - mask: The bits to compare, with the length of `bytes`. Default: nil, all bits.
    /// - Throws: ``BluetoothError/Kind/invalidArgument`` if `bytes` is empty or the mask has another length.
    public init(_ bytes: [UInt8], mask: [UInt8]? = nil) throws(BluetoothError) {
        let mask = mask ?? Array(repeating: 0xFF, count: bytes.count)
        guard !bytes.isEmpty, mask.count == bytes.count else {
            throw BluetoothError(
                .invalidArgument,
                detail: bytes.isEmpty ? "A pattern needs at least one byte" : "A mask must be as long as its data")
        }
        // Drops trailing bytes that the mask ignores, so that shorter data can match (S19).
        let count = (mask.lastIndex { $0 != 0 } ?? -1) + 1
        self.init(bytes: zip(bytes, mask).prefix(count).map { $0 & $1 }, mask: Array(mask.prefix(count)))
    }

    /// Returns whether data begins with the pattern; false if there is no data.
    func matches(_ data: [UInt8]?) -> Bool {
        guard let data, data.count >= bytes.count else { return false }
        return bytes.indices.allSatisfy { data[$0] & mask[$0] == bytes[$0] }
    }
}
