/// The state machine of ``BrokerSupervisor``: when to connect, and what to do after each change of the connection.
struct BrokerSupervisorState {
    enum Phase: Equatable {
        case stopped
        case connecting
        case connected(since: Duration)
        case waiting
        case closing
        /// `stop` was called; the connection still exists.
        case stopping
    }

    enum Event {
        case start
        case connected(isSessionPresent: Bool)
        case closed(BrokerFailure)
        case retryDue
        case reconnect
        case stop(within: Duration)
        /// All messages of an orderly end are confirmed.
        case confirmed
        case stopOverdue
    }

    enum Action: Equatable {
        case connect
        case disconnect
        /// Publishes `online`, subscribes again, and reports the connection.
        case announce(isSessionPresent: Bool)
        case reportClosed(BrokerFailure, retry: Duration?)
        case startRetryTimer(Duration)
        case cancelRetryTimer
        case publishOffline
        case startStopTimer(Duration)
        case finish
    }

    /// A connection of this time is stable: the next pause is the shortest again.
    static let stableTime: Duration = .seconds(5)
    /// For this time without a stable connection, the pauses stay the shortest, so that other gateways do not take the
    /// roles of this one: ``DeviceSharing/offlineHolder`` is longer than the end of an outage and a pause.
    static let shortOutage: Duration = .seconds(5)

    private(set) var phase = Phase.stopped
    /// The end of the last stable connection, or the start.
    private var unstableSince: Duration = .zero
    private var backoff: Backoff

    init(_ backoff: Backoff) { self.backoff = backoff }

    var isConnected: Bool {
        switch phase {
        case .connected, .stopping: true
        default: false
        }
    }

    mutating func apply(_ event: Event, at now: Duration) -> [Action] {
        switch (phase, event) {
        case (.stopped, .start):
            unstableSince = now
            phase = .connecting
            return [.connect]
        case (.waiting, .retryDue):
            phase = .connecting
            return [.connect]
        case (.connecting, .connected(let isSessionPresent)):
            phase = .connected(since: now)
            return [.announce(isSessionPresent: isSessionPresent)]
        case (.connecting, .closed(let failure)): return wait(after: failure, at: now)
        case (.connected(let since), .closed(let failure)):
            if now - since >= Self.stableTime {
                backoff.reset()
                unstableSince = now
            }
            return wait(after: failure, at: now)
        case (.connected, .reconnect): return [.disconnect]
        case (.connected, .stop(let limit)):
            phase = .stopping
            return [.publishOffline, .startStopTimer(limit)]
        case (.connecting, .stop(let limit)):
            phase = .closing
            return [.disconnect, .startStopTimer(limit)]
        case (.waiting, .stop):
            phase = .stopped
            return [.cancelRetryTimer, .finish]
        case (.stopped, .stop): return [.finish]
        case (.stopping, .confirmed), (.stopping, .stopOverdue):
            phase = .closing
            return [.disconnect, .startStopTimer(.seconds(1))]
        case (.stopping, .closed(let failure)), (.closing, .closed(let failure)):
            phase = .stopped
            return [.reportClosed(failure, retry: nil), .finish]
        case (.closing, .stopOverdue):
            phase = .stopped
            return [.finish]
        default: return []
        }
    }

    private mutating func wait(after failure: BrokerFailure, at now: Duration) -> [Action] {
        phase = .waiting
        let isPermanent = failure.kind == .refused || failure.kind == .certificate
        if !isPermanent, now - unstableSince < Self.shortOutage { backoff.reset() }
        let delay = isPermanent ? backoff.takeMaximum() : backoff.take()
        return [.reportClosed(failure, retry: delay), .startRetryTimer(delay)]
    }
}
