public import Rx

/// A device came into range, or is heard no more.
public enum PresenceChange: Sendable {
    /// It is present: heard or connected, for the first time or after it was lost; with what it last advertised.
    case found(ScannedPeripheral)
    /// It was silent without a link for ``PresenceOptions/silence``, or nothing can be heard any more.
    case lost(Peripheral)
}

/// Which peripherals count as present.
public struct PresenceOptions: Hashable, Sendable {
    /// How long a peripheral without a link may be silent before it is lost. Default 10 s. Must be longer than zero.
    public var silence: Duration
    /// Whether a connected peripheral is present, by whatever program it was connected. Default: true.
    ///
    /// Most peripherals do not advertise while they are connected. With `false` such a peripheral is lost after ``silence``.
    public var includesConnected: Bool

    /// Makes options.
    public init(silence: Duration = .seconds(10), includesConnected: Bool = true) {
        self.silence = silence
        self.includesConnected = includesConnected
    }
}

extension BluetoothManager {
    /// Scans, and reports which peripherals are present.
    ///
    /// Emits ``PresenceChange/found(_:)`` when a peripheral is first heard or is connected, and ``PresenceChange/lost(_:)`` when
    /// it was silent for ``PresenceOptions/silence``, each peripheral for itself. While it is connected it is present, whether it
    /// advertises or not; its silence begins when the link ends. Never completes. It is one more scan: cold, shared and failing as
    /// ``scanForPeripherals(withServices:options:)``; before it fails, or waits with ``ScanOptions/resumes``, it reports all as
    /// lost. Fails with ``BluetoothError/Kind/invalidArgument`` for a silence of zero or less.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these, or send data of one. Default, and empty: all.
    ///   - options: As for any scan; whether duplicates are allowed, and what is known from earlier, do not matter here.
    ///   - presence: Which peripherals count as present. Default: see ``PresenceOptions``.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(),
        presence: PresenceOptions = PresenceOptions()
    ) -> Observable<PresenceChange> {
        access.presence(services, options, presence, on: selection)
    }

    /// Scans, and reports which peripherals are present, with the default ``PresenceOptions`` but for the silence.
    ///
    /// See ``observePresence(withServices:options:presence:)``.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these, or send data of one. Default, and empty: all.
    ///   - options: As for any scan.
    ///   - silence: How long a peripheral without a link may be silent before it is lost.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(), silence: Duration
    ) -> Observable<PresenceChange> {
        observePresence(withServices: services, options: options, presence: PresenceOptions(silence: silence))
    }
}
