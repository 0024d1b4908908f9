import DBus

/// The GATT operations of a connection, which run one at a time.
///
/// ``OperationOrder`` decides which operation is the next. During an ``ExclusiveAccess``, only its own operations run.
///
/// ATT allows one request at a time, and bluetoothd refuses a second operation on the same attribute with InProgress
/// (Q94).
final class GATTOperationQueue {
    private let bus: BusContext
    private let settings: Settings
    private let mirror: ObjectMirror
    private let staleOperations: StaleOperations
    private let peripheral: Peripheral
    /// The number of operations submitted so far.
    private var count: UInt64 = 0
    private var waiting = OperationOrder<QueueEntry>()
    private var running: GATTOperation?
    /// The exclusive access in progress; nil if there is none.
    private var access: ExclusiveAccess?
    /// Work that the exclusive access in progress delays.
    private var delayed: [() -> Void] = []
    /// The operations that bluetoothd has not answered, which outlast the queue.
    let unanswered = UnansweredOperations()
    /// The deadline of the running operation.
    private var deadline: BusTask?
    private var usual = UsualDurations()
    /// Reports the running operation when it is overdue; nil if no event is recorded.
    private var watchdog: BusTask?
    private var isSuspended = false
    /// The operation that fails because its pairing was refused.
    ///
    /// Other operations fail until bluetoothd answers this operation, or the device is paired.
    private var refused: (operation: BluetoothError.Operation, target: String, error: BluetoothError)?
    /// The error of a pairing that was refused while no operation ran. bluetoothd or the peripheral had begun it.
    var earlierRefusal: BluetoothError? { earlier?.error }
    private var earlier: (error: BluetoothError, since: MonotonicTime)?
    /// The earlier refusal that may have ended the link: bluetoothd then keeps the running operation, or has closed the
    /// link when its own request had no reply. A refusal may also be that of a request by the peripheral.
    var refusalBeforeEnd: BluetoothError? {
        guard let earlier, running != nil || settings.elapsed(since: earlier.since) <= GATTOperation.attTimeout
        else { return nil }
        return earlier.error
    }
    /// The number of the operation that becomes `refused` if it has no reply after `answerGrace`.
    private var suspectedNumber: UInt64?
    /// Whether the peripheral has replied to an operation of this link, so that no pairing blocked its predecessors.
    private(set) var hasReply = false
    /// Whether an operation waits for a refused pairing and blocks all other operations of the link.
    var isRefused: Bool { refused != nil || suspectedNumber != nil }
    /// Whether the running operation waits for a pairing that is in progress.
    var isPairing: Bool { running?.isPairing == true && !isRefused }
    /// The operation that was running when the link ended: its kind, and whether bluetoothd has answered it since.
    ///
    /// Nil if none was running, or if this computer has refused the pairing of the operation.
    var endedOperation: (opensNotifySocket: Bool, isAnswered: Bool)? {
        guard let running, !isRefused, earlierRefusal == nil else { return nil }
        return (running.message.member == "AcquireNotify", !unanswered.contains(running.number))
    }

    init(_ client: BlueZClient, of peripheral: Peripheral) {
        bus = client.bus
        settings = client.settings
        mirror = client.mirror
        staleOperations = client.staleOperations
        self.peripheral = peripheral
    }

    // MARK: Submitting and cancelling

    /// Queues an operation.
    ///
    /// - Parameter isFollowing: Whether the operation continues the one that has just ended, so that no other operation
    ///   runs between the two. An operation outside of an access that is in progress waits for its turn instead.
    func submit(_ item: GATTOperation, isFollowing: Bool = false) {
        guard isAccepted(item) else { return }
        switch (item.access != nil, isFollowing) {
        case (true, true): access?.waiting.insertFollowing(item)
        case (true, false): access?.waiting.append(item, item.priority)
        // It starts at once, so there is never more than one.
        case (false, true) where access == nil: waiting.insertFollowing(item)
        case (false, _): waiting.append(item, item.priority)
        }
        queued(item)
    }

    /// Requests exclusive access.
    func submit(_ request: ExclusiveAccess) {
        guard isAccepted(request) else { return }
        waiting.append(request, request.priority)
        queued(request)
    }

    /// Numbers a new entry. Fails the entry and returns false if it may not be queued.
    private func isAccepted(_ item: QueueEntry) -> Bool {
        count += 1
        item.number = count
        item.since = settings.now
        guard let error = refusal(of: item) else { return true }
        dropped(item, error)
        item.fail(error)
        return false
    }

    private func queued(_ item: QueueEntry) {
        settings.eventLog.trace(.operationQueued(described(item), waiting: waitingCount))
        advance()
    }

    /// Cancels an operation for its caller (S57).
    ///
    /// A queued operation is removed. A running operation blocks the queue until its reply arrives.
    func cancel(_ item: GATTOperation) {
        item.cancel()
        if access?.waiting.remove(item) == true || waiting.remove(item) { dropped(item, nil) }
    }

    /// Stops the queue, because the link is down and the cause is not known yet.
    ///
    /// The reply to the running operation does not contain the cause, so it is ignored. ``fail(_:)`` reports the cause
    /// later.
    func suspend() { isSuspended = true }

    /// Handles a refused pairing.
    ///
    /// If the running operation needed the pairing, bluetoothd keeps it at the head of its own queue and never answers
    /// it. If the peripheral began the pairing, the reply arrives soon. The delay distinguishes the two cases.
    func refuse(_ error: BluetoothError) {
        guard !isSuspended, !isRefused else { return }
        if let item = running { return suspect(item.number, error) }
        if !mirror.isBonded(peripheral.key) { earlier = (error.ofPairingByBluetoothd, settings.now) }
    }

    private func suspect(_ number: UInt64, _ error: BluetoothError) {
        suspectedNumber = number
        bus.schedule(after: Self.answerGrace) { [weak self] in self?.failAfterRefusal(number, error) }
    }

    /// The time in which an operation that does not depend on the refused pairing is answered.
    private static let answerGrace = Duration.milliseconds(250)

    /// Fails all operations.
    ///
    /// The running operation stays in place, because it may be answered after a later pairing.
    private func failAfterRefusal(_ number: UInt64, _ error: BluetoothError) {
        guard suspectedNumber == number else { return }
        suspectedNumber = nil
        guard let item = running, item.number == number, !isSuspended else { return }
        refused = (item.operation, item.target, error)
        item.record(.failure(error))
        let items: [QueueEntry] = (access?.waiting.removeAll() ?? []) + waiting.removeAll()
        item.fail(error)
        for item in items {
            let error = refusal(of: item) ?? error
            dropped(item, error)
            item.fail(error)
        }
    }

    /// Returns why an entry may not be queued: its exclusive access has ended, or a pairing was refused; nil if it may.
    private func refusal(of item: QueueEntry) -> BluetoothError? {
        if let token = (item as? GATTOperation)?.access, !isInProgress(token) { return ExclusiveAccess.over }
        guard let refused else { return nil }
        if item.operation == refused.operation, item.target == refused.target { return refused.error }
        let first = refused.error.with(refused.operation, refused.target).summary
        return BluetoothError(.connectionStalled, detail: "Pairing was refused after this: \(first.dropLast())")
    }

    /// Records that the running operation has caused bluetoothd's pairing request.
    ///
    /// The caller has checked that bluetoothd called our agent for this peripheral, although this manager did not start
    /// a pairing.
    func pairingBegan() {
        guard let item = running else { return }
        item.isPairing = true
        unanswered.markPairing(item.number)
    }

    /// Ends a refusal, because the device has been paired, perhaps by another program.
    ///
    /// bluetoothd then sends the operation that it kept, and the operations behind it. The refusal ends now and not
    /// with the reply, because our call may have reached its deadline before.
    func paired() {
        (refused, earlier) = (nil, nil)
        suspectedNumber = nil
        running?.isPairing = false
        unanswered.paired()
    }

    /// Fails all operations with one cause, because the connection has ended.
    func fail(_ cause: BluetoothError) {
        let begun = running
        let items: [QueueEntry] = (access?.waiting.removeAll() ?? []) + waiting.removeAll()
        running = nil
        suspectedNumber = nil
        deadline?.cancel()
        watchdog?.cancel()
        // The access fails first, so that its caller gets this error and not that of an operation.
        if let access { end(access, cause) }
        if let begun {
            ended(begun, cause)
            begun.finish(.failure(cause))
        }
        for item in items {
            dropped(item, cause)
            item.fail(cause)
        }
    }

    private func advance() {
        while running == nil, !isSuspended {
            let next = if let access { access.waiting.next() as QueueEntry? } else { waiting.next() }
            if let request = next as? ExclusiveAccess { return grant(request) }
            guard let item = next as? GATTOperation else { return }
            guard let error = item.obstacle?() ?? staleOperations.error(of: item.message, on: peripheral.key) else {
                return start(item)
            }
            dropped(item, error)
            item.fail(error)
        }
    }

    private func start(_ item: GATTOperation) {
        running = item
        begin(item)
        item.started?()
        let number = item.number
        unanswered.insert(number, item.message)
        // The call outlasts its deadline and the link, because a late reply shows that it is not lost (Q126).
        let call = bus.call(item.message, timeout: item.deadline + GATTOperation.attTimeout) {
            [weak self, unanswered] result in
            if !result.isMissing { unanswered.remove(number) }
            self?.answered(number, result)
        }
        unanswered.setCall(call, of: number)
        deadline = bus.schedule(after: item.deadline) { [weak self] in
            self?.answered(number, .failure(.noReply("No reply came within \(item.deadline).")))
        }
        // bluetoothd reads the battery level before all operations, so this one gets no reply either.
        if let earlierRefusal, earlierRefusal.pairingClue == .batteryLevel { suspect(number, earlierRefusal) }
        watch(item)
    }

    /// Reports the operation if it takes much longer than usual, and its deadline has not passed.
    private func watch(_ item: GATTOperation) {
        let limit = usual.limit(of: item.operation)
        guard limit < item.deadline, settings.eventLog.isRecordingInfo else { return }
        watchdog = bus.schedule(after: limit) { [weak self, weak item] in
            guard let self, let item, running === item else { return }
            settings.eventLog.info(
                .operationOverdue(
                    described(item), runningFor: settings.elapsed(since: item.since),
                    usual: usual.average(of: item.operation)))
        }
    }

    private func begin(_ item: QueueEntry) {
        settings.eventLog.trace(.operationStarted(described(item), waited: settings.elapsed(since: item.since)))
        item.since = settings.now
    }

    private func answered(_ number: UInt64, _ result: Result<Message, DBusError>) {
        // A lost bus fails its calls before it reports the loss. The queue stops here, and the report then ends the
        // link.
        if case .failure(let error) = result, error.name == DBusError.Name.disconnected { suspend() }
        guard !isSuspended, let item = running, item.number == number else { return }
        running = nil
        deadline?.cancel()
        watchdog?.cancel()
        suspectedNumber = nil
        var isTimedOut = false
        let outcome = result.mapError {
            let failure = item.failure($0)
            let error = item.corrected(
                failure, after: settings.elapsed(since: item.since), mirror.isBonded(peripheral.key), earlierRefusal)
            isTimedOut = failure.kind == .timedOut || error.kind == .timedOut
            return error
        }
        // After a time-out the refusal remains: bluetoothd still waits, and would not answer the next operation either.
        if !isTimedOut { (refused, earlier) = (nil, nil) }
        switch outcome {
        case .success:
            if item.isForwarded { hasReply = true }
            usual.record(settings.elapsed(since: item.since), of: item.operation)
            ended(item, nil)
        case .failure(let error):
            // bluetoothd also reports 0x0E if the link ends.
            if let code = error.attCode, code != 0x0E { hasReply = true }
            ended(item, error)
        }
        item.finish(outcome)
        advance()
    }

    // MARK: Exclusive access

    private func grant(_ request: ExclusiveAccess) {
        access = request
        begin(request)
        request.timer = bus.schedule(after: request.deadline) { [weak self, weak request] in
            if let self, let request { expire(request) }
        }
        request.granted()
    }

    /// Ends an exclusive access, or removes its request, because its caller has ended.
    ///
    /// Its waiting operations never run. Its running operation blocks the queue until its reply arrives.
    func release(_ request: ExclusiveAccess) {
        if waiting.remove(request) { return dropped(request, nil) }
        guard access === request else { return }
        end(request, nil)
        advance()
    }

    /// Ends an exclusive access at its deadline, with its running operation.
    private func expire(_ request: ExclusiveAccess) {
        guard access === request else { return }
        let item = running?.access === request.token ? running : nil
        end(request, BluetoothError(.timedOut))
        if let item {
            answered(item.number, .failure(.noReply("The deadline of the exclusive access has passed.")))
        }
        advance()
    }

    private func end(_ request: ExclusiveAccess, _ error: BluetoothError?) {
        access = nil
        request.timer?.cancel()
        ended(request, error)
        if let error { request.fail(error) }
        for item in request.waiting.removeAll() {
            if item.isShared {
                // Subscribers outside the access may wait for this operation too.
                item.access = nil
                waiting.append(item, item.priority)
            } else {
                dropped(item, ExclusiveAccess.over)
                item.fail(ExclusiveAccess.over)
            }
        }
        let work = delayed
        delayed = []
        for action in work { action() }
    }

    /// Returns whether an exclusive access is in progress; false for nil.
    func isInProgress(_ token: ExclusiveAccess.Token?) -> Bool { token != nil && access?.token === token }

    /// Runs work that sends a call without the queue: at once, or at the end of another owner's exclusive access.
    ///
    /// - Parameter token: The access of the work; nil for none.
    func performOutsideAccess(of token: ExclusiveAccess.Token?, _ work: @escaping () -> Void) {
        if access == nil || isInProgress(token) { work() } else { delayed.append(work) }
    }

    // MARK: Status and log

    /// The running operation or the exclusive access in progress, and how long it has been running.
    var current: (operation: QueuedOperation, time: Duration)? {
        (running ?? access).map { (described($0), settings.elapsed(since: $0.since)) }
    }

    /// The time after which the running operation is overdue; nil without one.
    var overdueAfter: Duration? { running.map { usual.limit(of: $0.operation) } }

    /// The number of operations that wait.
    var waitingCount: Int { waiting.count + (access?.waiting.count ?? 0) }

    private func described(_ item: QueueEntry) -> QueuedOperation {
        QueuedOperation(
            number: item.number, operation: item.operation, peripheral: peripheral, target: item.target)
    }

    private func ended(_ item: QueueEntry, _ error: BluetoothError?) {
        settings.eventLog.trace(.operationEnded(described(item), took: settings.elapsed(since: item.since), error))
    }

    private func dropped(_ item: QueueEntry, _ error: BluetoothError?) {
        settings.eventLog.trace(
            .operationDropped(described(item), waited: settings.elapsed(since: item.since), error))
    }
}

extension Result<Message, DBusError> {
    /// Whether bluetoothd has sent no reply.
    fileprivate var isMissing: Bool {
        guard case .failure(let error) = self else { return false }
        return error.name == DBusError.Name.noReply || error.name == DBusError.Name.disconnected
    }
}
