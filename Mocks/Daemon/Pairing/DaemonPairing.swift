import DBus

/// A pending pairing that a call of `Pair` or a protected attribute started.
final class DaemonPairing {
    /// The call of `Pair`; nil if no client requested the pairing.
    var call: IncomingCall?
    /// The agent that gets the requests; nil if no agent is registered.
    let agent: DaemonAgent?
    /// The handlers of ATT requests that wait for the pairing. They get true if it succeeds.
    var waiting: [(Bool) -> Void] = []
    var token: ClientDepartureHandler?
    /// Whether bluetoothd pairs over BR/EDR, because the device is already bonded over LE.
    ///
    /// bluetoothd attributes the kernel's answer to another device, so `Pair` is not answered (Q118).
    let isOverClassic: Bool
    /// Whether the link has ended, and bluetoothd does not end the pairing (Q136).
    var isKept = false
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
    /// The error that bluetoothd returns for the failure (new_authentication_return in src/device.c).
    var error: DBusError {
        switch self {
        case .failed, .notSupported: BlueZError.authenticationFailed
        case .canceled: BlueZError.authenticationCanceled
        case .rejected: BlueZError.authenticationRejected
        case .timeout: BlueZError.authenticationTimeout
        }
    }
}

/// The pairing method that results from the capabilities of both sides.
enum PairingMethod {
    case justWorks
    /// The user of this computer types the passkey that the peripheral shows.
    case requestPasskey
    /// The agent shows the passkey, and the user types it on the peripheral.
    case displayPasskey
    case compare

    /// Chooses the method of LE Secure Connections for a pairing that this computer starts.
    ///
    /// Source: Bluetooth Core, Vol 3, Part H, 2.3.5.1, table 2.8.
    init(_ peripheral: SimulatedPairing.Method, _ agent: DaemonAgent.Capability) {
        switch (peripheral, agent) {
        case (.passkeyShown, .keyboardOnly), (.passkeyShown, .keyboardDisplay): self = .requestPasskey
        case (.passkeyEntered, .displayOnly), (.passkeyEntered, .displayYesNo), (.passkeyEntered, .keyboardDisplay):
            self = .displayPasskey
        // An agent with only a keyboard must return the passkey, even if the peripheral also has keys.
        case (.passkeyEntered, .keyboardOnly), (.numericComparison, .keyboardOnly): self = .requestPasskey
        case (.numericComparison, .displayYesNo), (.numericComparison, .keyboardDisplay): self = .compare
        default: self = .justWorks
        }
    }

    /// The security level of a link that was paired by the method.
    var protection: SimulatedProtection {
        if case .justWorks = self { .encryption } else { .authentication }
    }
}
