/// Whether Bluetooth can be used now, and the reason if it cannot.
public enum BluetoothState: String, Hashable, Sendable, CaseIterable {
    /// An adapter is available and on.
    case poweredOn = "powered-on"
    /// An adapter is available, but off.
    case poweredOff = "powered-off"
    /// An rfkill switch, in hardware or in software, blocks the adapter.
    case blocked
    /// bluetoothd runs, but no adapter supports the central role, or the selected adapter is absent.
    case noAdapter = "no-adapter"
    /// bluetoothd does not run, or does not list its objects.
    ///
    /// If bluetoothd runs but hangs, the state changes to this value after ``Deadlines/snapshot``, and operations fail
    /// with ``BluetoothError/Kind/daemonUnavailable``. The cause of ``BluetoothManager/diagnose()`` is
    /// ``Diagnosis/Cause/daemonSilent``. If bluetoothd begins to hang later, the state does not change, and each
    /// operation fails with ``BluetoothError/Kind/timedOut`` at its deadline.
    case daemonUnavailable = "daemon-unavailable"
    /// This process has no permission to use bluetoothd.
    case unauthorized
    /// There is no system bus, so bluetoothd cannot be reached.
    case busUnavailable = "bus-unavailable"
}

extension BluetoothState {
    /// The error with which operations fail in this state; nil if Bluetooth can be used (S1).
    var error: BluetoothError? {
        switch self {
        case .poweredOn: nil
        case .poweredOff: BluetoothError(.poweredOff)
        case .blocked: BluetoothError(.blocked)
        case .noAdapter: BluetoothError(.noAdapter)
        case .daemonUnavailable: BluetoothError(.daemonUnavailable)
        case .unauthorized: BluetoothError(.unauthorized)
        case .busUnavailable: BluetoothError(.busUnavailable)
        }
    }
}
