import RxBluetoothMocks

/// Reads how a peripheral pairs, and how a characteristic is protected.
extension ScenarioNode {
    func pairing() throws(ScenarioFileError) -> SimulatedPairing {
        let parts = try parts(
            "method", "passkey", "delay", "user-delay", "requires-authentication", "failure", "loses-bond",
            "makes-bond")
        var pairing = SimulatedPairing(try method(parts))
        if let part = parts["delay"] { pairing.delay = try part.time() }
        if let part = parts["user-delay"] { pairing.userDelay = try part.time() }
        if let part = parts["requires-authentication"] { pairing.isAuthenticationRequired = try part.truth() }
        if let part = parts["failure"] { pairing.failure = try part.failure() }
        if let part = parts["loses-bond"] { pairing.losesBond = try part.truth() }
        if let part = parts["makes-bond"] { pairing.makesBond = try part.truth() }
        return pairing
    }

    private func method(_ parts: [String: ScenarioNode]) throws(ScenarioFileError) -> SimulatedPairing.Method {
        let name = try parts["method"].or("just-works") { e throws(ScenarioFileError) in try e.text() }
        if name == "just-works" {
            if let stray = parts["passkey"] {
                throw stray.error("passkey without a method that uses it", "another method, or no passkey")
            }
            return .justWorks
        }
        let makers: [String: (UInt32) -> SimulatedPairing.Method] = [
            "passkey-shown": { .passkeyShown($0) }, "passkey-entered": { .passkeyEntered($0) },
            "numeric-comparison": { .numericComparison($0) },
        ]
        guard let make = makers[name] else {
            throw parts["method"]?.wrong("one of just-works, passkey-shown, passkey-entered, numeric-comparison")
                ?? error("\(self.name) has no method", "the key method")
        }
        return make(UInt32(try required("passkey", in: parts).number(0...999_999)))
    }

    private func failure() throws(ScenarioFileError) -> SimulatedPairing.Failure {
        switch try text() {
        case "failed": return .failed
        case "not-supported": return .notSupported
        case "canceled": return .canceled
        case "rejected": return .rejected
        case "timeout": return .timeout
        default: throw wrong("one of failed, not-supported, canceled, rejected, timeout")
        }
    }

    func protection() throws(ScenarioFileError) -> SimulatedProtection {
        switch try text() {
        case "none": return .none
        case "encryption": return .encryption
        case "authentication": return .authentication
        default: throw wrong("one of none, encryption, authentication")
        }
    }
}
