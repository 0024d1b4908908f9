public import Rx

/// A peripheral that came into range or is no longer received.
public enum PresenceChange: Sendable {
    /// The peripheral is present: it was received, or is connected. The value has its latest advertisement.
    case found(ScannedPeripheral)
    /// The peripheral was silent for ``PresenceOptions/silence``, or the scan failed or was interrupted.
    case lost(Peripheral)
}

/// The options for observing presence.
public struct PresenceOptions: Hashable, Sendable {
    /// The silence after which a peripheral without a link is lost. Default: 10 s; more than zero.
    public var silence: Duration
    /// Whether a peripheral that is connected by any program is present. Default: true.
    ///
    /// Most peripherals do not advertise during a connection. With false, such a peripheral is lost after ``silence``.
    public var includesConnected: Bool

    /// Creates options. The defaults are those of the properties.
    public init(silence: Duration = .seconds(10), includesConnected: Bool = true) {
        self.silence = silence
        self.includesConnected = includesConnected
    }
}

extension BluetoothManager {
    /// Scans, and reports which peripherals come and go.
    ///
    /// Emits ``PresenceChange/found(_:)`` when a peripheral is first received or is connected, and
    /// ``PresenceChange/lost(_:)`` when it was silent for ``PresenceOptions/silence``. Each peripheral has its own
    /// timer, which starts when its last advertisement is received or its link ends. Never completes.
    ///
    /// Cold; it shares the discovery session and has the errors of ``scanForPeripherals(withServices:options:)``.
    /// Before it fails, or waits because of ``ScanOptions/resumes``, it emits all present peripherals as lost. Fails
    /// with ``BluetoothError/Kind/invalidArgument`` if the silence is zero or less. Delivers on the manager's queue.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these services or send data of one. Default: empty, all
    ///     peripherals.
    ///   - options: The options of the scan; ``ScanOptions/allowsDuplicates`` and ``ScanOptions/includesKnown`` are
    ///     ignored.
    ///   - presence: The silence, and whether connected peripherals are present.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(),
        presence: PresenceOptions = PresenceOptions()
    ) -> Observable<PresenceChange> {
        access.presence(services, options, presence, on: selection)
    }

    /// Scans, and reports which peripherals come and go, with a given silence.
    ///
    /// See ``observePresence(withServices:options:presence:)``. Connected peripherals are present.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these services or send data of one. Default: empty, all
    ///     peripherals.
    ///   - options: The options of the scan; ``ScanOptions/allowsDuplicates`` and ``ScanOptions/includesKnown`` are
    ///     ignored.
    ///   - silence: The silence after which a peripheral without a link is lost; more than zero.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(), silence: Duration
    ) -> Observable<PresenceChange> {
        observePresence(withServices: services, options: options, presence: PresenceOptions(silence: silence))
    }
}
