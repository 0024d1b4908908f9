import Rx

extension BrokerSupervisor {
    /// The time between two lines about topics that had none of their own.
    private static let refusalInterval = Duration.seconds(600)

    /// Counts and reports a refused message, and decides whether it is lost.
    func refused(_ token: UInt64, _ refusal: BrokerRefusal) {
        switch refusal.kind {
        case .temporary: refusals.deferred += 1
        case .tooLarge, .closesConnection: refusals.setAside += 1
        case .accessDenied, .invalid: refusals.final += 1
        }
        if reports.shouldReport(refusal) {
            report?(.messageRefused(refusal))
        } else if reports.unreportedCount > 0 {
            planRefusalReport()
        }
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

    private func planRefusalReport() {
        refusalReport.plan(after: Self.refusalInterval, of: self) { $0.reportFurtherRefusals() }
    }

    /// Reports the number of topics that had no line.
    private func reportFurtherRefusals() {
        let count = reports.takeUnreported()
        if count > 0 { report?(.furtherRefused(topics: count)) }
    }

    /// The connection has ended. The next one reports all topics again.
    func resetRefusals() {
        refusalReport.cancel()
        reportFurtherRefusals()
        reports = RefusalReports()
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
