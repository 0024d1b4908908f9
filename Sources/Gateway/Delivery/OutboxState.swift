/// The state machine of ``Outbox``: what waits to be stored, what is being sent, and what the broker confirmed.
struct OutboxState {
    enum Event: Sendable {
        case enqueued(Publication)
        case timerFired
        case paceAllows
        case confirmationOverdue
        case stored(dropped: Int)
        case storingFailed(StoreFailure)
        case loaded([StoredPublication], Publication.Priority)
        case loadingFailed(StoreFailure)
        case connected
        case closed
        case acknowledged(Int64)
        /// The broker refused the message for now.
        case refused(Int64, BrokerRefusal)
        case refusalPauseEnded
        case retryDue
        /// The store may have messages that were not added by the outbox.
        case storeChecked
    }

    enum Action: Equatable {
        case store(appending: [Publication], removing: [Int64])
        case load(StoredBacklog.Request, limit: Int)
        case send(StoredPublication)
        /// Replaces the running timer of this kind.
        case startTimer(after: Duration)
        case pause(Duration)
        case pauseAfterRefusal(Duration)
        /// Replaces the running timer.
        case retryRefused(after: Duration)
        case checkConfirmations(after: Duration)
        case reconnect
        case report(DeliveryNotice)
    }

    /// Messages that are read from the store at once.
    static let readAhead = 64
    /// This many new messages are stored without waiting for the timer.
    private static let fullBatch = 500
    /// This many confirmed messages are removed without waiting for the timer.
    private static let fullRemoval = 1000

    /// Numbers from here on belong to messages that are sent from memory. Those of the store are smaller.
    private static let memoryNumbers: Int64 = 1 << 62

    private enum Loading {
        case none
        /// The store is being read.
        case running
        /// The store is being read from a position that is not valid any more.
        case outdated
    }

    let settings: DeliverySettings
    /// The first part of the ids of messages that are sent from memory.
    private let memoryIdentity: String
    private var unstored = UnstoredMessages()
    private(set) var droppedCount = 0
    private var losses = StoreLosses()
    private(set) var inFlight: Set<Int64> = []
    private(set) var confirmed: Set<Int64> = []
    private(set) var isConnected = false
    private var isEnding = false
    private(set) var failure: StoreFailure?
    /// Messages that were sent from memory and are not confirmed, in their order.
    private var direct: [StoredPublication] = []
    private var lastDirect: Int64 = 0
    /// Messages that were sent from memory and refused. They are sent again after the delay of ``RefusalRules``.
    private var refusedDirect = RefusedMessages()
    /// Whether the store has refused new messages. Then they are sent from memory.
    private var isStoreClosed = false
    /// Whether the store could not be read. It is read again when the timer fires.
    private var isUnreadable = false
    /// Whether the next message is stored before it is sent, to find out whether the store works again.
    private var isTrial = false
    /// Which of `confirmed` the running transaction contains, besides the locked messages of `unstored`.
    private var storing: [Int64]?
    private var backlog = StoredBacklog()
    private var loading = Loading.none
    private var isFinishing = false
    private var timerDue: Duration?
    private var pace: Pace
    private var isPaused = false
    private var lastProgress: Duration = .zero
    private var isChecking = false
    var refusals = RefusalRules()
    private var retryDelay: Duration

    init(_ settings: DeliverySettings, memoryIdentity: String) {
        self.settings = settings
        self.memoryIdentity = memoryIdentity
        pace = Pace(perSecond: settings.messagesPerSecond)
        retryDelay = settings.initialRetryDelay
    }

    /// The messages that only the memory has.
    var unstoredCount: Int { unstored.count + direct.count + refusedDirect.count }

    /// Whether an orderly end waits for nothing: no message is in flight, or only in memory and can be sent.
    var isIdle: Bool { inFlight.isEmpty && storing == nil && !(isStoreClosed && isConnected && !unstored.isEmpty) }

    mutating func apply(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .enqueued(let publication): return enqueue(publication, now)
        case .timerFired:
            timerDue = nil
            isUnreadable = false
            isTrial = isStoreClosed && unstored.isEmpty
            return write() + fill(now)
        case .paceAllows:
            isPaused = false
            return fill(now)
        case .confirmationOverdue: return checkConfirmations(now)
        case .stored(let dropped):
            let notice = losses.add(dropped).map { [Action.report($0)] } ?? []
            return notice + stored(now)
        case .storingFailed(let failure): return storingFailed(failure, now)
        case .loaded(let messages, let priority): return loaded(messages, of: priority, now)
        case .loadingFailed(let failure):
            loading = .none
            isUnreadable = true
            return fail(failure) + retry(now) + fill(now)
        case .connected:
            isConnected = true
            isEnding = false
            isUnreadable = false
            inFlight = []
            rewind()
            refusals.connected()
            lastProgress = now
            return fill(now)
        case .closed:
            isConnected = false
            backlog.clear()
            inFlight = []
            return takeBack(now)
        case .acknowledged(let number):
            guard removeFromFlight(number, now) else { return [] }
            let retry = accepted(now)
            guard number < Self.memoryNumbers else {
                direct.removeAll { $0.number == number }
                return retry + fill(now)
            }
            confirmed.insert(number)
            let isFull = confirmed.count >= Self.fullRemoval && failure == nil
            return retry + (isFull ? write() : startTimer(settings.removalInterval, now)) + fill(now)
        case .refused(let number, let refusal): return refused(number, refusal, now)
        case .refusalPauseEnded: return pauseEnded(now)
        case .retryDue: return retryRefused(now)
        case .storeChecked:
            backlog.added(Set(Publication.Priority.allCases))
            return fill(now)
        }
    }

    /// Returns whether the message was in flight.
    mutating func removeFromFlight(_ number: Int64, _ now: Duration) -> Bool {
        guard inFlight.remove(number) != nil else { return false }
        lastProgress = now
        return true
    }

    /// Reads the store from the oldest message on.
    mutating func rewind() {
        backlog.reset()
        if loading == .running { loading = .outdated }
    }

    /// Stores everything now, for an orderly end.
    mutating func flush() -> [Action] { write() }

    /// Stores everything, and then nothing more. ``isSaved`` says when.
    mutating func finish() -> [Action] {
        isFinishing = true
        takeBackRefused()
        return write()
    }

    /// Whether everything is stored, or cannot be stored.
    var isSaved: Bool { storing == nil && (failure != nil || unstored.isEmpty && confirmed.isEmpty) }

    /// Sends no further messages on this connection, except for those that cannot be stored.
    mutating func endSending() { isEnding = true }
}

// Storing.
extension OutboxState {
    private mutating func enqueue(_ publication: Publication, _ now: Duration) -> [Action] {
        unstored.append(publication)
        dropExcess()
        if isTrial || failure == nil && unstored.count >= Self.fullBatch { return write() }
        return startTimer(failure == nil ? settings.batchInterval : retryDelay, now) + sendDirect(now)
    }

    private mutating func write() -> [Action] {
        guard storing == nil, !unstored.isEmpty || !confirmed.isEmpty else { return [] }
        let numbers = confirmed.sorted()
        isTrial = isTrial && unstored.isEmpty
        storing = numbers
        return [.store(appending: unstored.lock(), removing: numbers)]
    }

    private mutating func stored(_ now: Duration) -> [Action] {
        guard let numbers = storing else { return [] }
        let count = unstored.lockedCount
        backlog.added(unstored.removeLocked())
        confirmed.subtract(numbers)
        storing = nil
        var actions: [Action] = []
        if failure != nil, count > 0 || unstored.isEmpty && !isStoreClosed { actions.append(recover()) }
        if isFinishing { return actions + write() }
        if !unstored.isEmpty {
            actions += failure == nil ? startTimer(settings.batchInterval, now) : retry(now)
        } else if !confirmed.isEmpty {
            actions += startTimer(settings.removalInterval, now)
        }
        return actions + fill(now)
    }

    private mutating func storingFailed(_ failure: StoreFailure, _ now: Duration) -> [Action] {
        guard let numbers = storing else { return [] }
        let count = unstored.lockedCount
        unstored.unlock()
        storing = nil
        if count > 0 { isStoreClosed = true }
        var actions = fail(failure)
        // Removing alone may succeed on a full disk, and makes room.
        if failure.kind == .full, count > 0, !numbers.isEmpty {
            storing = numbers
            actions.append(.store(appending: [], removing: numbers))
        }
        return actions + retry(now) + fill(now)
    }

    private mutating func fail(_ failure: StoreFailure) -> [Action] {
        defer { self.failure = failure }
        return self.failure?.kind == failure.kind ? [] : [.report(.storeFailed(failure))]
    }

    private mutating func recover() -> Action {
        failure = nil
        isStoreClosed = false
        isTrial = false
        retryDelay = settings.initialRetryDelay
        takeBackRefused()
        return .report(.storeRecovered(droppedCount: droppedCount))
    }

    private mutating func retry(_ now: Duration) -> [Action] {
        let delay = retryDelay
        retryDelay = min(retryDelay * 2, settings.maximumRetryDelay)
        timerDue = nil
        return startTimer(delay, now)
    }

    private mutating func startTimer(_ delay: Duration, _ now: Duration) -> [Action] {
        guard storing == nil || failure != nil, timerDue.map({ now + delay < $0 }) ?? true else { return [] }
        timerDue = now + delay
        return [.startTimer(after: delay)]
    }
}

// Sending.
extension OutboxState {
    mutating func fill(_ now: Duration) -> [Action] {
        guard isConnected, !isPaused, !refusals.isPaused else { return [] }
        guard !isEnding else { return sendDirect(now) }
        var actions: [Action] = []
        while let message = backlog.next, hasRoom(for: message.publication.priority) {
            guard pace.take(now) else {
                isPaused = true
                actions.append(.pause(Pace.interval))
                break
            }
            backlog.removeNext()
            if inFlight.isEmpty { lastProgress = now }
            inFlight.insert(message.number)
            actions.append(.send(message))
        }
        actions += startChecking()
        if let request = backlog.request, loading == .none, !isUnreadable, hasRoom(for: request.priority) {
            loading = .running
            actions.append(.load(request, limit: Self.readAhead))
        }
        if backlog.isDrained, inFlight.isEmpty, let notice = losses.end() { actions.append(.report(notice)) }
        return actions + sendDirect(now)
    }

    /// Whether a further message may be in flight. Some places are kept for normal priority.
    private func hasRoom(for priority: Publication.Priority) -> Bool {
        let places = refusals.window(settings.messagesInFlight)
        return inFlight.count < (priority == .low ? max(1, places * 3 / 4) : places)
    }

    private mutating func startChecking() -> [Action] {
        guard !inFlight.isEmpty, !isChecking else { return [] }
        isChecking = true
        return [.checkConfirmations(after: settings.confirmationTimeout)]
    }

    /// Sends messages that the store refuses from memory, after those that it contains if it can be read.
    private mutating func sendDirect(_ now: Duration) -> [Action] {
        guard isStoreClosed, isConnected, !isPaused, !refusals.isPaused, storing == nil else { return [] }
        guard isEnding || isUnreadable || backlog.isDrained else { return [] }
        var actions: [Action] = []
        while let waiting = unstored.first, hasRoom(for: waiting.priority) {
            guard pace.take(now) else {
                isPaused = true
                actions.append(.pause(Pace.interval))
                break
            }
            if inFlight.isEmpty { lastProgress = now }
            lastDirect += 1
            unstored.removeFirst()
            // The message keeps its id if it is stored or sent again later.
            let publication = waiting.identified(by: "\(memoryIdentity)-\(lastDirect)")
            let message = StoredPublication(number: Self.memoryNumbers + lastDirect, publication: publication)
            inFlight.insert(message.number)
            direct.append(message)
            actions.append(.send(message))
        }
        return actions + startChecking()
    }

    /// Takes back one message that was sent from memory and refused.
    mutating func takeBack(_ number: Int64, _ now: Duration) -> [Action] {
        guard let index = direct.firstIndex(where: { $0.number == number }) else { return [] }
        let message = direct.remove(at: index)
        if isStoreClosed {
            droppedCount += refusedDirect.add(message, upTo: settings.maximumUnstoredBytes / 2)
        } else {
            unstored.putBack([message.publication])
        }
        dropExcess()
        return startTimer(failure == nil ? settings.batchInterval : retryDelay, now)
    }

    /// Takes back what was sent from memory and not confirmed.
    private mutating func takeBack(_ now: Duration) -> [Action] {
        guard !direct.isEmpty || refusedDirect.count > 0 else { return [] }
        // In the order in which they were sent, because both lists may have messages of one device.
        let messages = (direct + refusedDirect.take()).sorted { $0.number < $1.number }
        direct = []
        unstored.putBack(messages.map(\.publication))
        dropExcess()
        return startTimer(failure == nil ? settings.batchInterval : retryDelay, now)
    }

    /// Takes back what was sent from memory and refused, to send it again or to store it.
    mutating func takeBackRefused() { unstored.putBack(refusedDirect.take().map(\.publication)) }

    private mutating func dropExcess() {
        // Refused messages of low priority are older than those that wait, and do not displace any of normal priority.
        droppedCount += refusedDirect.dropLow(above: settings.maximumUnstoredBytes - unstored.bytes)
        droppedCount += unstored.drop(above: settings.maximumUnstoredBytes - refusedDirect.bytes)
    }

    private mutating func loaded(
        _ messages: [StoredPublication], of priority: Publication.Priority, _ now: Duration
    ) -> [Action] {
        let isOutdated = loading == .outdated
        loading = .none
        guard !isOutdated else { return fill(now) }
        var actions: [Action] = []
        if failure != nil, !isStoreClosed, unstored.isEmpty, confirmed.isEmpty { actions.append(recover()) }
        // A connection that closed meanwhile starts at the oldest message again.
        guard isConnected else { return actions }
        // After a refusal, messages in flight are read again.
        backlog.add(
            messages.filter { !confirmed.contains($0.number) && !inFlight.contains($0.number) }, of: priority,
            upTo: messages.last?.number, isLast: messages.count < Self.readAhead)
        return actions + fill(now)
    }

    private mutating func checkConfirmations(_ now: Duration) -> [Action] {
        isChecking = false
        guard isConnected, !inFlight.isEmpty else { return [] }
        isChecking = true
        let overdue = lastProgress + settings.confirmationTimeout
        guard now >= overdue else { return [.checkConfirmations(after: overdue - now)] }
        lastProgress = now
        return [.checkConfirmations(after: settings.confirmationTimeout), .reconnect]
    }
}
