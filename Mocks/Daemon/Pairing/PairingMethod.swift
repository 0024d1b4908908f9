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
