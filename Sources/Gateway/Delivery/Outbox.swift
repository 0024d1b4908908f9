import BluetoothValues
import Rx

/// Delivers messages at least once: it stores them, sends them in order, and removes them when the broker confirms.
///
/// Each message that is a JSON object gets the key `mid` with an id, so that receivers recognise duplicates: after a
/// lost confirmation or a crash, a message is sent again with the same id. `MessageDelivery` connects it with a broker.
final class Outbox {
    /// Sends a message to the broker.
    var send: ((Publication, _ token: UInt64) -> Void)?
    /// Closes the connection, because the broker does not confirm anything.
    var reconnect: (() -> Void)?
    var report: ((DeliveryNotice) -> Void)?
    /// Returns the counters of encrypted packets that are stored with the messages.
    var changedCounters: (() -> [EncryptedCounter])?
    var onCountersSaved: (([EncryptedCounter]) -> Void)?
    /// Is called after each change that may have made the outbox idle.
    var onProgress: (() -> Void)?

    private let store: StoreWorker
    private let loop: GatewayLoop
    private var state: OutboxState
    /// The actions that wait, while others are executed.
    private var actions: ArraySlice<OutboxState.Action> = []
    private var isProcessing = false
    private var onSaved: (() -> Void)?
    private let timer = SerialDisposable()
    private let pauseTimer = SerialDisposable()
    private let confirmationTimer = SerialDisposable()
    private let refusalTimer = SerialDisposable()
    private let retryTimer = SerialDisposable()

    init(store: StoreWorker, settings: DeliverySettings, loop: GatewayLoop) {
        self.store = store
        self.loop = loop
        // Differs for each process, because the numbers of messages that are not stored begin again.
        let random = HexDigits.text((0..<4).map { _ in UInt8.random(in: 0 ... .max) })
        state = OutboxState(settings, memoryIdentity: "\(store.opening.identity)-\(random)")
        store.onChecked = { [weak self] in self?.process(.storeChecked) }
    }

    deinit { cancel() }

    /// The messages that wait in memory for the store.
    var unstoredCount: Int { state.unstoredCount }
    /// The messages that were lost because the store failed for long.
    var droppedCount: Int { state.droppedCount }
    /// The messages that were sent and not confirmed.
    var inFlightCount: Int { state.inFlight.count }
    /// Whether an orderly end may close the connection.
    var isIdle: Bool { state.isIdle }
    /// The failure of the last attempt to store or to read messages.
    var failure: StoreFailure? { state.failure }

    func enqueue(_ publication: Publication) { process(.enqueued(publication)) }
    func connected() { process(.connected) }
    func closed() { process(.closed) }
    func acknowledged(_ token: UInt64) { process(.acknowledged(Int64(truncatingIfNeeded: token))) }
    func refused(_ token: UInt64, _ refusal: BrokerRefusal) {
        process(.refused(Int64(truncatingIfNeeded: token), refusal))
    }

    /// Stores the counters that changed without a message.
    func saveChangedCounters() {
        guard let counters = changedCounters?(), !counters.isEmpty else { return }
        store.run { store -> Bool in
            (try? store.update(appending: [], removing: [], saving: counters)) != nil
        } then: { [weak self] isSaved in
            if isSaved { self?.onCountersSaved?(counters) }
        }
    }

    /// Stores everything that is in memory, for an orderly end.
    func flush() { process(state.flush()) }

    /// Stores everything, closes the store, and calls the completion.
    func finish(_ completion: @escaping () -> Void) {
        onSaved = completion
        process(state.finish())
    }

    /// Sends no further messages on this connection, except for those that cannot be stored.
    func endSending() { state.endSending() }

    func cancel() {
        timer.dispose()
        pauseTimer.dispose()
        confirmationTimer.dispose()
        refusalTimer.dispose()
        retryTimer.dispose()
    }

    private func process(_ event: OutboxState.Event) { process(state.apply(event, at: loop.monotonicTime)) }

    /// Executes actions in their order, also those of events that happen meanwhile.
    private func process(_ added: [OutboxState.Action]) {
        actions += added
        guard !isProcessing else { return }
        isProcessing = true
        while let action = actions.popFirst() { perform(action) }
        isProcessing = false
        onProgress?()
        guard state.isSaved, let completion = onSaved else { return }
        onSaved = nil
        store.run {
            $0.close()
        } then: {
            completion()
        }
    }

    private func perform(_ action: OutboxState.Action) {
        switch action {
        case .store(let publications, let numbers):
            // In one transaction, so that after a crash the packet of a stored reading is not accepted again.
            let counters = publications.isEmpty ? [] : changedCounters?() ?? []
            run(saving: counters) { store throws(StoreFailure) in
                let before = store.summary.dropped
                try store.update(appending: publications, removing: numbers, saving: counters)
                return .stored(dropped: store.summary.dropped - before)
            } failure: {
                .storingFailed($0)
            }
        case .load(let request, let limit):
            run { store throws(StoreFailure) in
                let messages = try store.messages(after: request.number, limit: limit, priority: request.priority)
                return .loaded(messages, request.priority)
            } failure: {
                .loadingFailed($0)
            }
        case .send(let message):
            let id = "\(store.snapshot.identity)-\(message.number)"
            send?(message.publication.identified(by: id), UInt64(bitPattern: message.number))
        case .startTimer(let delay): start(timer, after: delay, .timerFired)
        case .pause(let delay): start(pauseTimer, after: delay, .paceAllows)
        case .pauseAfterRefusal(let delay): start(refusalTimer, after: delay, .refusalPauseEnded)
        case .retryRefused(let delay): start(retryTimer, after: delay, .retryDue)
        case .checkConfirmations(let delay): start(confirmationTimer, after: delay, .confirmationOverdue)
        case .reconnect:
            report?(.confirmationsMissing)
            reconnect?()
        case .report(let notice): report?(notice)
        }
    }

    /// Runs an operation of the store, and handles its event.
    private func run(
        saving counters: [EncryptedCounter] = [],
        _ work: @escaping @Sendable (any PublicationStore) throws(StoreFailure) -> OutboxState.Event,
        failure: @escaping @Sendable (StoreFailure) -> OutboxState.Event
    ) {
        store.run { store -> OutboxState.Event in
            do throws(StoreFailure) { return try work(store) } catch { return failure(error) }
        } then: { [weak self] event in
            if !counters.isEmpty, case .stored = event { self?.onCountersSaved?(counters) }
            self?.process(event)
        }
    }

    private func start(_ timer: SerialDisposable, after delay: Duration, _ event: OutboxState.Event) {
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: delay) { bound.value.object?.process(event) }
    }
}

extension Publication {
    /// The message with the id as the first key of its JSON object, if it has none; other payloads do not change.
    func identified(by id: String) -> Publication {
        guard payload.first == UInt8(ascii: "{"), !payload.starts(with: #"{"mid":"#.utf8) else { return self }
        let isEmpty = payload.dropFirst().first { $0 != 0x20 && $0 != 0x0A } == UInt8(ascii: "}")
        var result = self
        result.payload = Array("{\"mid\":\"\(id)\"\(isEmpty ? "" : ",")".utf8) + payload.dropFirst()
        return result
    }
}
