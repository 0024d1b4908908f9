import Rx

extension BrokerSupervisor {
    /// Counts and reports a refused message, and decides whether it is lost.
    func refused(_ token: UInt64, _ refusal: BrokerRefusal) {
        switch refusal.kind {
        case .temporary: refusals.deferred += 1
        case .tooLarge, .closesConnection: refusals.setAside += 1
        case .accessDenied, .invalid: refusals.final += 1
        }
        if shouldReport(refusal) { report?(.messageRefused(refusal)) }
        onRefused?(refusal)
        guard isDirect(token) else {
            // Sending it again would have the same result.
            return refusal.keepsMessage ? onRefusedStored?(token, refusal) ?? () : confirm(token)
        }
        let publication = unconfirmed[token]
        echoes.refused(refusal.topic)
        confirm(token)
        guard refusal.kind == .temporary, let publication, let delay = retries.refused(publication) else { return }
        let bound = loop.bound(WeakReference(self))
        directTimer.disposable = loop.schedule(after: delay) { bound.value.object?.retryDirect() }
    }

    private func retryDirect() { for publication in retries.take() { publish(publication) } }

    /// Each topic and cause is reported once for a connection, and a refusal of all messages once.
    private func shouldReport(_ refusal: BrokerRefusal) -> Bool {
        let key = refusal.kind == .temporary ? refusal.cause : "\(refusal.topic) \(refusal.cause)"
        return reportedCauses.count < Self.maximumReports && reportedCauses.insert(key).inserted
    }
}

/// How many messages the broker refused.
struct RefusalCounts {
    /// For good, so the messages are lost.
    var final = 0
    /// For now. A message may count repeatedly.
    var deferred = 0
    /// Because they are too large, or close the connection. A message may count repeatedly.
    var setAside = 0
}
