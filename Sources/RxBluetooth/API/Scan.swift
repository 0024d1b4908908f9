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
