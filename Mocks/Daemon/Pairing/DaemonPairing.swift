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

/// What the two sides of a pairing do, once each has said what it can.
enum PairingMethod {
    case justWorks
    /// Our user types what the peripheral shows.
    case requestPasskey
    /// Our user reads what the peripheral's user types.
    case displayPasskey
    case compare

    /// The method for a pairing that we begin. Source: Bluetooth Core, Vol 3, Part H, 2.3.5.1, table 2.8, for LE
    /// Secure Connections; nobody has to confirm a pairing that just works and that we began.
    init(_ peripheral: SimulatedPairing.Method, _ agent: DaemonAgent.Capability) {
        switch (peripheral, agent) {
        case (.passkeyShown, .keyboardOnly), (.passkeyShown, .keyboardDisplay): self = .requestPasskey
        case (.passkeyEntered, .displayOnly), (.passkeyEntered, .displayYesNo), (.passkeyEntered, .keyboardDisplay):
            self = .displayPasskey
        // Where both have only keys, the peripheral's user has nothing to type from: our agent is asked.
        case (.passkeyEntered, .keyboardOnly), (.numericComparison, .keyboardOnly): self = .requestPasskey
        case (.numericComparison, .displayYesNo), (.numericComparison, .keyboardDisplay): self = .compare
        default: self = .justWorks
        }
    }

    /// How well it protects a link.
    var protection: SimulatedProtection {
        if case .justWorks = self { .encryption } else { .authentication }
    }
}
