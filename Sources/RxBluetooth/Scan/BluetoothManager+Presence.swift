public import Rx

/// A device came into range, or is heard no more.
public enum PresenceChange: Sendable {
    /// It is heard, for the first time or after it was lost; with what it advertised then.
    case found(ScannedPeripheral)
    /// It was not heard for the time that was asked for, or nothing can be heard any more.
    case lost(Peripheral)
}

extension BluetoothManager {
    /// Scans, and tells who is there.
    ///
    /// Emits ``PresenceChange/found(_:)`` when a device is first heard, and ``PresenceChange/lost(_:)`` when it was silent for
    /// `silence`, each device for itself (S21). Never completes. It is one more scan: cold, shared and failing as
    /// ``scanForPeripherals(withServices:options:)``; before it fails, or waits with ``ScanOptions/resumes``, it tells that all are lost.
    /// A device that stops advertising because somebody connects to it is lost, too.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these, or send data of one. Default, and empty: all.
    ///   - options: As for any scan; whether duplicates are allowed, and what is known from earlier, do not matter here.
    ///   - silence: After which time without an advertisement a device is lost. Default 10 s.
    public func observePresence(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions(),
        silence: Duration = .seconds(10)
    ) -> Observable<PresenceChange> {
        access.presence(services, options, silence, on: selection)
    }
}
