import DBus

/// A pairing under way: asked for by `Pair`, by an attribute that demands more of the link, or by the peripheral.
final class DaemonPairing {
    /// The call of `Pair`; nil where nobody asked for it.
    var call: IncomingCall?
    /// Whom to ask.
    let agent: DaemonAgent?
    /// What becomes of ATT requests that wait for it: they hear whether it succeeded.
    var waiting: [(Bool) -> Void] = []
    var token: ClientDepartureHandler?
    /// bluetoothd has asked the kernel to pair over the bearer over which the device is not bonded, Bluetooth classic. It then takes
    /// the kernel's answer for that of another device, so nothing comes of the call by itself (Q118).
    let isOverClassic: Bool
    /// The agent's answer is awaited.
    var isAsking = false
    var timer: BusTask?

    init(_ call: IncomingCall?, _ agent: DaemonAgent?, isOverClassic: Bool = false) {
        self.call = call
        self.agent = agent
        self.isOverClassic = isOverClassic
    }
}

extension SimulatedPairing.Failure {
    /// As new_authentication_return words it (src/device.c).
    var error: DBusError {
        switch self {
        case .failed: BlueZError.authenticationFailed
        case .canceled: BlueZError.authenticationCanceled
        case .rejected: BlueZError.authenticationRejected
        case .timeout: BlueZError.authenticationTimeout
        }
    }
}
