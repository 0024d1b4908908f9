import Rx

/// Keeps a connection to a broker: connects again after pauses, subscribes again, and publishes the availability.
///
/// `MessageDelivery` contains one. It belongs to the context of a gateway.
final class BrokerSupervisor {
    /// Receives `true` after each connection, when `online` is published, and `false` after its end.
    var onConnectionChange: ((_ isConnected: Bool) -> Void)?
    /// Receives the tokens of confirmed messages that `send` has sent.
    var onAcknowledged: ((UInt64) -> Void)?
    var onReceived: ((ReceivedMessage) -> Void)?
    /// Runs when the broker has closed the connection because another client has the same identifier.
    var onTakenOver: (() -> Void)?
    /// Receives the tokens of messages that `send` has sent, and that stay in the store.
    var onRefusedStored: ((UInt64, BrokerRefusal) -> Void)?
    /// Receives each refused message.
    var onRefused: ((BrokerRefusal) -> Void)?
    var report: ((DeliveryNotice) -> Void)?
    /// Returns whether gateways share devices by a topic. Its messages have a limit of their own.
    var isShared: (_ topic: String) -> Bool = { _ in false }
    /// Returns whether a topic has commands. They have a limit of their own, so that no other messages displace them.
    var isCommand: (_ topic: String) -> Bool = { _ in false }
    /// Returns whether the gateway subscribes to a topic that it publishes.
    var expectsEcho: (_ topic: String) -> Bool = { _ in false }
    /// Receives the topics of shared messages that the limit ignored.
    var onSharedIgnored: ((_ topic: String) -> Void)?
    /// Is asked whether an orderly end may close the connection.
    var isIdle: () -> Bool = { true }

    static let online = Array("online".utf8)
    /// Tokens above belong to messages without a place in the store.
    private static let directTokens: UInt64 = 1 << 63

    private let broker: any Broker
    let loop: GatewayLoop
    let availability: String
    private var state: BrokerSupervisorState
    private var filters: [String] = []
    private var known: Set<String> = []
    private var subscribed: Set<String> = []
    /// The filters of earlier configurations, which a session of the broker may still have.
    private var outdatedFilters: Set<String> = []
    /// While a new connection is announced: the filters that it already contains.
    private var announced: Set<String> = []
    private(set) var unconfirmed: [UInt64: Publication] = [:]
    private var directCount: UInt64 = 0
    private var receiving: ReceivingLimit
    private var commands: ReceivingLimit
    private var sharing = ReceivingLimit.sharing
    // The refused messages.
    var refusals = RefusalCounts()
    var retries = DirectRetries()
    var reports = RefusalReports()
    let refusalReport: PlannedWork
    let directTimer = SerialDisposable()
    /// Whether the broker keeps retained messages, as far as it has reported.
    private(set) var keepsRetained = true
    private var hasReportedRetain = false
    private var lastReported: BrokerFailure?
    private var sessionAge: SessionAge
    /// Since when what arrives may have waited in the socket; nil if it did not.
    private var pausedSince: Duration?
    private var completions: [() -> Void] = []
    /// The corrections of the availability. Without the interval, two programs could make a loop.
    var corrections = MinimumInterval(.seconds(10))
    var isAvailabilityWrong = false
    let correction: PlannedWork
    // The messages that must come back.
    var echoes = EchoCheck()
    let echoCheck: PlannedWork
    private let receivingReport: PlannedWork
    private let retryTimer = SerialDisposable()
    private let stopTimer = SerialDisposable()

    /// - Parameters:
    ///   - availability: The topic of the retained messages `online` and `offline`.
    ///   - seed: Varies the pauses between attempts.
    ///   - sinceLastSign: The time since the broker confirmed a message to an earlier process; nil if it is not known.
    init(
        broker: any Broker, settings: BrokerSettings, availability: String, limits: ReceivingLimit, seed: UInt64,
        sinceLastSign: Duration?, loop: GatewayLoop
    ) {
        sessionAge = SessionAge(lastSign: sinceLastSign.map { loop.monotonicTime - $0 })
        self.broker = broker
        self.loop = loop
        correction = PlannedWork(loop)
        echoCheck = PlannedWork(loop)
        receivingReport = PlannedWork(loop)
        refusalReport = PlannedWork(loop)
        self.availability = availability
        receiving = limits
        commands = limits
        state = BrokerSupervisorState(
            Backoff(initial: settings.initialDelay, maximum: settings.maximumDelay, seed: seed))
        filters = [availability]
        known = [availability]
        broker.handler = { [weak self] event in self?.handle(event) }
    }

    deinit {
        for timer in [retryTimer, stopTimer, directTimer] { timer.dispose() }
    }

    var isConnected: Bool { state.isConnected }
    var phase: BrokerSupervisorState.Phase { state.phase }
    /// The received messages that were ignored.
    var ignoredCount: Int { receiving.ignoredCount + commands.ignoredCount + sharing.ignoredCount }

    func start() { process(.start) }
    func reconnect() { process(.reconnect) }

    /// Connects again with another client identifier.
    func useIdentifier(_ identifier: String) {
        broker.useIdentifier(identifier)
        reconnect()
    }

    /// Publishes `offline`, waits for confirmations, disconnects, and calls the completion once.
    func stop(within limit: Duration, _ completion: @escaping () -> Void) {
        completions.append(completion)
        process(.stop(within: limit))
    }

    /// Subscribes now and after each connection.
    func subscribe(to filters: [String]) {
        let added = filters.filter { known.insert($0).inserted }
        self.filters += added
        if isConnected { subscribeMissing(of: added) }
    }

    /// Ends subscriptions, also those of a session that the broker keeps while there is no connection.
    func unsubscribe(from filters: [String]) {
        let removed = filters.filter { known.remove($0) != nil }
        guard !removed.isEmpty else { return }
        self.filters.removeAll(where: removed.contains)
        subscribed.subtract(removed)
        outdatedFilters.formUnion(removed)
        if isConnected { broker.unsubscribe(from: removed) }
    }

    /// Subscribes now and after each connection. The retained messages arrive again if the subscription exists.
    func resubscribe(to filters: [String]) {
        self.filters += filters.filter { known.insert($0).inserted }
        guard isConnected else { return }
        let outdated = filters.filter { !announced.contains($0) }
        subscribed.formUnion(outdated)
        if !outdated.isEmpty { broker.subscribe(to: outdated) }
    }

    /// Sends a message of the store.
    func send(_ publication: Publication, token: UInt64) { broker.publish(publication, token: token) }

    /// Sends a message that is not stored; false without a connection.
    @discardableResult
    func publish(_ publication: Publication) -> Bool {
        guard isConnected else { return false }
        directCount += 1
        let token = Self.directTokens | directCount
        retries.published(to: publication.topic)
        if publication.qualityOfService > 0 {
            unconfirmed[token] = publication
            if expectsEcho(publication.topic) { echoes.sent(publication.topic) }
        }
        broker.publish(publication, token: token)
        return true
    }

    /// Closes the connection of an orderly end if everything is confirmed.
    func checkIdle() { if state.phase == .stopping, unconfirmed.isEmpty, isIdle() { process(.confirmed) } }

    private func handle(_ event: BrokerEvent) {
        switch event {
        case .retainUnavailable: retainUnavailable()
        case .connected(let isSessionPresent):
            if keepsRetained { hasReportedRetain = false }
            sessionAge.connected(isSessionPresent: isSessionPresent, at: loop.monotonicTime)
            process(.connected(isSessionPresent: isSessionPresent))
        case .closed(let failure):
            unconfirmed = [:]
            pausedSince = nil
            retries.closed()
            resetEchoes()
            resetRefusals()
            keepsRetained = true
            let wasConnected = isConnected
            process(.closed(failure))
            if wasConnected { onConnectionChange?(false) }
            if failure.kind == .takenOver { onTakenOver?() }
        case .acknowledged(let token):
            sessionAge.sign(at: pausedSince ?? loop.monotonicTime)
            if let publication = unconfirmed[token] { confirmEcho(publication.topic) }
            confirm(token)
        case .rejected(let token, let refusal): refused(token, refusal)
        case .subscriptionRefused(let filter, let cause):
            // The next connection tries it again, for which a person may have corrected the access rights.
            subscribed.remove(filter)
            if reports.shouldReport(filter: filter, cause: cause) {
                report?(.subscriptionRefused(filter: filter, cause: cause))
            }
        case .subscriptionEndRefused(let filter, let cause):
            if reports.shouldReport(filter: "end of \(filter)", cause: cause) {
                report?(.subscriptionEndRefused(filter: filter, cause: cause))
            }
        case .received(let message): receive(message)
        case .paused(let length):
            let start = loop.monotonicTime - length
            pausedSince = min(pausedSince ?? start, start)
        case .caughtUp: pausedSince = nil
        case .skipped(let topic, let size):
            echoes.received(topic)
            switch receiving.skip(topic: topic, size: size, at: loop.monotonicTime) {
            case .ignored(let notice?): report?(notice)
            default: planReport()
            }
        }
    }

    /// Each connection to the same broker repeats it.
    private func retainUnavailable() {
        keepsRetained = false
        guard !hasReportedRetain else { return }
        hasReportedRetain = true
        report?(.retainUnavailable)
    }

    func isDirect(_ token: UInt64) -> Bool { token & Self.directTokens != 0 }

    func confirm(_ token: UInt64) {
        guard isDirect(token) else { return onAcknowledged?(token) ?? () }
        unconfirmed[token] = nil
        checkIdle()
    }

    private func receive(_ message: ReceivedMessage) {
        let now = loop.monotonicTime
        echoes.received(message.topic)
        var message = message
        message.waiting = sessionAge.waiting(at: now, isKept: message.mayHaveWaited)
        if let pausedSince {
            message.delay = now - pausedSince
            message.waiting = message.waiting.orAtMost(message.delay)
        }
        sessionAge.sign(at: pausedSince ?? now)
        // Also in a flood, which may have begun with such a message.
        if message.topic == availability {
            if message.payload == Self.online { sessionAge.caughtUp() }
            return checkAvailability(message.payload)
        }
        let isShared = isShared(message.topic)
        let verdict =
            if isShared {
                sharing.check(message, at: now)
            } else if isCommand(message.topic) {
                commands.check(message, at: now)
            } else {
                receiving.check(message, at: now)
            }
        switch verdict {
        case .accepted: onReceived?(message)
        case .ignored(let notice):
            if let notice { report?(notice) } else { planReport() }
            if isShared { onSharedIgnored?(message.topic) }
        }
    }

    /// Reports the ignored messages that no later one reports.
    private func planReport() {
        receivingReport.plan(after: ReceivingLimit.reportInterval, of: self) { supervisor in
            let now = supervisor.loop.monotonicTime
            let notices = [
                supervisor.receiving.takeNotice(at: now), supervisor.commands.takeNotice(at: now),
                supervisor.sharing.takeNotice(at: now),
            ]
            for notice in notices.compactMap(\.self) { supervisor.report?(notice) }
        }
    }

    private func process(_ event: BrokerSupervisorState.Event) {
        for action in state.apply(event, at: loop.monotonicTime) { perform(action) }
    }

    private func perform(_ action: BrokerSupervisorState.Action) {
        switch action {
        case .connect: broker.connect()
        case .disconnect: broker.disconnect()
        case .announce(let isSessionPresent):
            lastReported = nil
            report?(.connected)
            publish(.availability("online", topic: availability))
            if isSessionPresent {
                outdatedFilters.subtract(known)
                if !outdatedFilters.isEmpty { broker.unsubscribe(from: outdatedFilters.sorted()) }
            } else {
                (subscribed, outdatedFilters) = ([], [])
            }
            announced = Set(subscribeMissing(of: filters))
            onConnectionChange?(true)
            announced = []
        case .reportClosed(let failure, let retry):
            // The same failure of further attempts is no news.
            if lastReported != failure { report?(.closed(failure, retry: retry)) }
            lastReported = failure
        case .startRetryTimer(let delay): startTimer(retryTimer, after: delay, .retryDue)
        case .cancelRetryTimer: retryTimer.disposable = Disposables.create()
        case .publishOffline:
            publish(.availability("offline", topic: availability))
        case .startStopTimer(let delay): startTimer(stopTimer, after: delay, .stopOverdue)
        case .finish:
            stopTimer.disposable = Disposables.create()
            let completions = self.completions
            self.completions = []
            for completion in completions { completion() }
        }
    }

    @discardableResult
    private func subscribeMissing(of filters: [String]) -> [String] {
        let missing = filters.filter { subscribed.insert($0).inserted }
        if !missing.isEmpty { broker.subscribe(to: missing) }
        return missing
    }

    private func startTimer(_ timer: SerialDisposable, after delay: Duration, _ event: BrokerSupervisorState.Event) {
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: delay) { bound.value.object?.process(event) }
    }
}
