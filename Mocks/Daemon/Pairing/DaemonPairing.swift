import DBus

/// A pending pairing that a call of `Pair`, a protected attribute or the peripheral started.
final class DaemonPairing {
    /// The call of `Pair`; nil if no client requested the pairing.
    var call: IncomingCall?
    /// The agent to ask; nil if none is registered.
    let agent: DaemonAgent?
    /// Called with the result. ATT requests that wait for the pairing are here.
    var waiting: [(Bool) -> Void] = []
    var token: ClientDepartureHandler?
    /// Whether bluetoothd pairs over BR/EDR, because the device is already bonded over LE.
    /// It attributes the kernel's answer to another device, so `Pair` is not answered (Q118).
    let isOverClassic: Bool
    /// Whether the agent's reply is pending.
    var isAsking = false
    var timer: BusTask?

    init(_ call: IncomingCall?, _ agent: DaemonAgent?, isOverClassic: Bool = false) {
        self.call = call
        self.agent = agent
        self.isOverClassic = isOverClassic
    }
}

extension SimulatedPairing.Failure {
    /// The error that new_authentication_return chooses (src/device.c).
    var error: DBusError {
        switch self {
        case .failed: BlueZError.authenticationFailed
        case .canceled: BlueZError.authenticationCanceled
        case .rejected: BlueZError.authenticationRejected
        case .timeout: BlueZError.authenticationTimeout
        }
    }
}

/// The pairing method that results from the capabilities of both sides.
enum PairingMethod {
    case justWorks
    /// Our user types the passkey that the peripheral shows.
    case requestPasskey
    /// Our user reads the passkey that the peripheral's user types.
    case displayPasskey
    case compare

    /// The method for a pairing that this side starts, for LE Secure Connections.
    /// Source: Bluetooth Core, Vol 3, Part H, 2.3.5.1, table 2.8.
    init(_ peripheral: SimulatedPairing.Method, _ agent: DaemonAgent.Capability) {
        switch (peripheral, agent) {
        case (.passkeyShown, .keyboardOnly), (.passkeyShown, .keyboardDisplay): self = .requestPasskey
        case (.passkeyEntered, .displayOnly), (.passkeyEntered, .displayYesNo), (.passkeyEntered, .keyboardDisplay):
            self = .displayPasskey
        // With keyboards on both sides, our agent is asked for the passkey.
        case (.passkeyEntered, .keyboardOnly), (.numericComparison, .keyboardOnly): self = .requestPasskey
        case (.numericComparison, .displayYesNo), (.numericComparison, .keyboardDisplay): self = .compare
        default: self = .justWorks
        }
    }

    /// The security level that the method gives.
    var protection: SimulatedProtection {
        if case .justWorks = self { .encryption } else { .authentication }
    }
}
