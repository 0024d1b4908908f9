import DBus

/// A pairing under way: asked for by `Pair`, by an attribute that demands more of the link, or by the peripheral.
final class Pairing {
    /// The call of `Pair`; nil where nobody asked for it.
    var call: IncomingCall?
    /// Whom to ask.
    let agent: Agent?
    /// What becomes of ATT requests that wait for it: they hear whether it succeeded.
    var waiting: [(Bool) -> Void] = []
    var token: ClientToken?
    /// The agent's answer is awaited.
    var isAsking = false
    var timer: BusTask?

    init(_ call: IncomingCall?, _ agent: Agent?) {
        self.call = call
        self.agent = agent
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
