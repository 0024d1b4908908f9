/// When messages of the store are sent again that the broker refused for now.
///
/// After a refusal the outbox pauses, and sends one message at a time until the broker accepts one, because a quota
/// concerns all messages. Refused ones are skipped, so that a message that is always refused does not block the others.
/// They stay in the store, and are tried again from the oldest on, after increasing delays.
struct RefusalRules {
    struct Response: Equatable {
        /// Nothing is sent for this time.
        var pause: Duration?
        /// The outbox starts at the oldest message again after this time.
        var retry: Duration?
    }

    static let initialPause: Duration = .seconds(1)
    static let maximumPause: Duration = .seconds(60)
    private static let initialRetry: Duration = .seconds(2)
    private static let maximumRetry: Duration = .seconds(300)
    /// The time until a message that closes connections is offered again. `ClosingSuspects` decides.
    private static let blockedRetry: Duration = .seconds(600)
    /// So many refusals in a row concern the broker, not single messages.
    private static let quotaCount = 5

    private(set) var isPaused = false
    private var pauseDelay = RefusalRules.initialPause
    private var retryDelay = RefusalRules.initialRetry
    private var retryDue: Duration?
    private var refusalsInRow = 0
    private var lastRefusal: Duration?

    /// The most messages in flight, at most the given number.
    func window(_ limit: Int) -> Int { refusalsInRow == 0 ? limit : 1 }

    mutating func refused(_ refusal: BrokerRefusal, at now: Duration) -> Response {
        guard refusal.kind == .temporary else {
            return Response(retry: plan(retryIn: Self.blockedRetry, now))
        }
        // A refusal after a long time without one is a new problem.
        if let lastRefusal, now - lastRefusal > Self.maximumRetry * 2 { retryDelay = Self.initialRetry }
        lastRefusal = now
        refusalsInRow += 1
        let retry = plan(retryIn: retryDelay, now)
        guard !isPaused else { return Response(retry: retry) }
        isPaused = true
        defer { pauseDelay = min(pauseDelay * 2, Self.maximumPause) }
        return Response(pause: pauseDelay, retry: retry)
    }

    private mutating func plan(retryIn delay: Duration, _ now: Duration) -> Duration? {
        guard retryDue.map({ now + delay < $0 }) ?? true else { return nil }
        retryDue = now + delay
        return delay
    }

    mutating func pauseEnded() { isPaused = false }

    /// The broker has accepted a message.
    mutating func accepted(at now: Duration) -> Response {
        guard refusalsInRow > 0 else { return Response() }
        // A quota is free again, so what was skipped is sent soon.
        let isQuota = refusalsInRow >= Self.quotaCount
        refusalsInRow = 0
        pauseDelay = Self.initialPause
        guard isQuota else { return Response() }
        retryDelay = Self.initialRetry
        return Response(retry: plan(retryIn: Self.initialRetry, now))
    }

    /// The outbox starts at the oldest message again.
    mutating func retried() {
        retryDue = nil
        retryDelay = min(retryDelay * 2, Self.maximumRetry)
    }

    /// A new connection sends everything again.
    mutating func connected() {
        isPaused = false
        refusalsInRow = min(refusalsInRow, 1)
        retryDue = nil
    }
}
