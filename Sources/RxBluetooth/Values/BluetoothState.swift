/// Whether Bluetooth can be used now, and if not, what stands in the way.
public enum BluetoothState: String, Hashable, Sendable, CaseIterable {
    /// An adapter is there and on.
    case poweredOn
    /// An adapter is there and off.
    case poweredOff
    /// The adapter is switched off by rfkill, in hardware or in software (Q30).
    case blocked
    /// bluetoothd runs, and no adapter fits: none is plugged in, or not the one that was asked for (Q26).
    case noAdapter
    /// bluetoothd does not run (Q1).
    case daemonUnavailable
    /// This process may not speak to bluetoothd (Q15).
    case unauthorized
    /// There is no system bus to speak to bluetoothd over.
    case busUnavailable
}

extension BluetoothState {
    /// The error of an operation that this state stops; nil for the state that stops none (S1).
    var error: BluetoothError? {
        switch self {
        case .poweredOn: nil
        case .poweredOff: BluetoothError(.adapterOff)
        case .blocked: BluetoothError(.adapterBlocked)
        case .noAdapter: BluetoothError(.noAdapter)
        case .daemonUnavailable: BluetoothError(.daemonUnavailable)
        case .unauthorized: BluetoothError(.permissionDenied)
        case .busUnavailable: BluetoothError(.busUnavailable)
        }
    }
}
