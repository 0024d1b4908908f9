public import Rx

/// A change of presence: a peripheral came into range, or is no longer received.
public enum PresenceChange: Sendable {
    /// A peripheral is present: it has advertised, or is connected. The value has its latest
    /// advertisement. The RSSI is nil if none was received, for example if the peripheral is only connected.
    case found(ScannedPeripheral)
    /// A peripheral was silent for ``PresenceOptions/silence``, or the scan failed or was interrupted.
    ///
    /// If the adapter or bluetoothd failed, ``BluetoothManager/obstacle`` emits the error before this change.
    case lost(Peripheral)
}

/// The options of ``BluetoothManager/observePresence(withServices:options:presence:)``.
public struct PresenceOptions: Hashable, Sendable {
    /// How long a peripheral without a link may be silent before it is lost. Default: 10 s.
    public var silence: Duration
    /// Whether a peripheral counts as present while any program is connected to it. Default: true.
    ///
    /// Most peripherals do not advertise during a connection. With false, a connected peripheral that does not
    /// advertise is lost after ``silence``.
    public var includesConnected: Bool

    /// Creates options. The defaults are those of the properties.
    public init(silence: Duration = .seconds(10), includesConnected: Bool = true) {
        self.silence = silence
        self.includesConnected = includesConnected
    }
}

extension BluetoothManager {
    /// Scans, and emits which peripherals appear and disappear.
    ///
    /// Emits ``PresenceChange/found(_:)`` when a peripheral is first received or is connected, and
    /// ``PresenceChange/lost(_:)`` when it was silent for ``PresenceOptions/silence``. Each peripheral has its own
    /// timer, which starts when its last advertisement is received or its link ends. Never completes.
    ///
    /// Cold; shares the discovery session of ``scanForPeripherals(withServices:options:)`` and fails with the same
    /// errors, also with ``BluetoothError/Kind/invalidArgument`` if the silence is zero or less. Before the stream
    /// fails, or waits because of ``ScanOptions/resumes``, it emits all present peripherals as lost. Delivers on the
    /// manager's queue.
    ///
    /// A connected peripheral that has advertised services is compared with those. If none was received, it is compared
    /// with the services that bluetoothd has read from it, as soon as they are read. ``ScanOptions/filters`` apply to
    /// connected peripherals, too: names and addresses are those that bluetoothd knows. A filter with a minimum RSSI
    /// matches no peripheral that is only connected, because it has no RSSI.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these services or send data of one. Default: empty, all
    ///     peripherals.
    ///   - options: The options of the scan; ``ScanOptions/allowsDuplicates`` and ``ScanOptions/includesKnown`` are
    ///     ignored.
    ///   - presence: The silence, and whether connected peripherals count as present.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(),
        presence: PresenceOptions = PresenceOptions()
    ) -> Observable<PresenceChange> {
        access.presence(services, options, presence, on: selection)
    }

    /// Scans, and emits which peripherals appear and disappear after a given silence.
    ///
    /// Works like ``observePresence(withServices:options:presence:)``. Connected peripherals count as present.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these services or send data of one. Default: empty, all
    ///     peripherals.
    ///   - options: The options of the scan; ``ScanOptions/allowsDuplicates`` and ``ScanOptions/includesKnown`` are
    ///     ignored.
    ///   - silence: How long a peripheral without a link may be silent before it is lost; more than zero.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(), silence: Duration
    ) -> Observable<PresenceChange> {
        observePresence(withServices: services, options: options, presence: PresenceOptions(silence: silence))
    }
}
