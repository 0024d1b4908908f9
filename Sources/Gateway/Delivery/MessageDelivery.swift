import BluetoothValues

/// The way of messages to the broker and back: a store, an outbox and a supervised connection.
///
/// It belongs to the context of a gateway. Stored messages are delivered at least once and in order, also after an
/// outage or a restart; direct ones only while the connection exists.
/// ```swift
/// let delivery = MessageDelivery(
///     broker: broker, client: client, availability: "home/attic/LWT", store: store, loop: loop)
/// delivery.onConnectionChange = { isConnected in if isConnected { publishDiscovery() } }
/// delivery.subscribe(to: ["home/attic/commands/+"])
/// delivery.start()
/// delivery.store(reading)
/// ```
public final class MessageDelivery {
    /// Receives `true` after each connection and `false` after its end. Publish retained messages again after `true`.
    public var onConnectionChange: ((_ isConnected: Bool) -> Void)?
    /// Receives the messages of the subscriptions, as far as ``ReceivingLimit`` allows, but not the own availability.
    public var onReceived: ((ReceivedMessage) -> Void)?
    /// Returns whether a topic belongs to ``DeviceSharing``. ``ReceivingLimit/sharing`` limits its messages.
    public var isShared: ((_ topic: String) -> Bool)? {
        didSet { supervisor.isShared = isShared ?? { _ in false } }
    }
    /// Returns whether a topic has commands, which have a ``ReceivingLimit`` of their own.
    public var isCommand: ((_ topic: String) -> Bool)? {
        didSet { supervisor.isCommand = isCommand ?? { _ in false } }
    }
    /// Returns whether a topic is published and subscribed to, so that its messages must come back.
    var expectsEcho: ((_ topic: String) -> Bool)? {
        didSet { supervisor.expectsEcho = expectsEcho ?? { _ in false } }
    }
    /// Receives the topic of each message of ``DeviceSharing`` that was ignored because there were too many.
    public var onSharedIgnored: ((_ topic: String) -> Void)?
    /// Receives each message that the broker refused. A stored one is sent again if ``BrokerRefusal/keepsMessage``.
    public var onRefused: ((BrokerRefusal) -> Void)?
    /// Runs when the broker has closed the connection because another client has the same identifier.
    var onTakenOver: (() -> Void)?
    /// Returns the counters of encrypted packets that changed. They are stored together with the next messages.
    var changedCounters: (() -> [EncryptedCounter])? {
        get { outbox.changedCounters }
        set { outbox.changedCounters = newValue }
    }
    /// Receives counters that were stored.
    var onCountersSaved: (([EncryptedCounter]) -> Void)? {
        get { outbox.onCountersSaved }
        set { outbox.onCountersSaved = newValue }
    }
    /// Receives what a user should know, at most a few lines for one cause.
    public var onNotice: ((DeliveryNotice) -> Void)?

    private let messages: StoreWorker
    private let outbox: Outbox
    private let supervisor: BrokerSupervisor
    private let identifier: String

    /// Creates a delivery that does nothing until ``start()``.
    ///
    /// - Parameters:
    ///   - client: The client with which `broker` was created. Its settings have the pauses between attempts.
    ///   - availability: The topic of the retained messages `online` and `offline`. If another client changes it,
    ///     it becomes `online` again.
    ///   - store: Keeps messages until the broker confirms them.
    ///   - settings: The limits.
    ///   - storeLoop: The context in which the store runs, so that a slow disk does not stop the gateway. Default: that
    ///     of the gateway. Do not use the store elsewhere.
    ///   - seed: Varies the pauses between attempts to connect. Default: a random number.
    public init(
        broker: any Broker, client: BrokerClient, availability: String, store: any PublicationStore,
        settings: DeliverySettings = DeliverySettings(), receiving: ReceivingLimit = ReceivingLimit(),
        seed: UInt64 = .random(in: 0 ... .max), loop: GatewayLoop, storeLoop: GatewayLoop? = nil
    ) {
        usedIdentifiers = store.usedIdentifiers
        encryptedCounters = store.encryptedCounters
        let sinceLastSign = store.sinceConfirmation
        messages = StoreWorker(store, loop: loop, storeLoop: storeLoop)
        identifier = client.identifier
        outbox = Outbox(store: messages, settings: settings, loop: loop)
        supervisor = BrokerSupervisor(
            broker: broker, settings: client.settings, availability: availability, limits: receiving, seed: seed,
            sinceLastSign: sinceLastSign, loop: loop)
        connectParts()
    }

    private func connectParts() {
        outbox.send = { [unowned supervisor] in supervisor.send($0, token: $1) }
        outbox.reconnect = { [unowned supervisor] in supervisor.reconnect() }
        outbox.onProgress = { [unowned supervisor] in supervisor.checkIdle() }
        outbox.report = { [weak self] in self?.onNotice?($0) }
        messages.report = { [weak self] in self?.onNotice?($0) }
        supervisor.isIdle = { [unowned outbox] in outbox.isIdle }
        supervisor.onAcknowledged = { [weak self] in self?.outbox.acknowledged($0) }
        supervisor.onRefusedStored = { [weak self] in self?.outbox.refused($0, $1) }
        supervisor.onRefused = { [weak self] in self?.onRefused?($0) }
        supervisor.onReceived = { [weak self] in self?.onReceived?($0) }
        supervisor.onSharedIgnored = { [weak self] in self?.onSharedIgnored?($0) }
        supervisor.report = { [weak self] in self?.onNotice?($0) }
        supervisor.onTakenOver = { [weak self] in self?.onTakenOver?() }
        supervisor.onConnectionChange = { [weak self] isConnected in
            guard let self else { return }
            if isConnected { outbox.connected() } else { outbox.closed() }
            onConnectionChange?(isConnected)
        }
    }

    /// Whether the broker accepts messages.
    public var isConnected: Bool { supervisor.isConnected }

    /// Whether the broker keeps retained messages; true without a connection, or if the broker does not report it.
    public var keepsRetained: Bool { supervisor.keepsRetained }

    /// What waits, and what was lost.
    public var summary: DeliverySummary {
        DeliverySummary(
            store: messages.snapshot.summary, unstored: outbox.unstoredCount, inFlight: outbox.inFlightCount,
            droppedUnstored: outbox.droppedCount, rejected: supervisor.refusals.final,
            refusedForNow: supervisor.refusals.deferred, setAside: supervisor.refusals.setAside,
            receivedIgnored: supervisor.ignoredCount, storeFailure: outbox.failure)
    }

    /// Connects, and connects again whenever the connection ends.
    public func start() {
        messages.start()
        supervisor.start()
    }

    /// Subscribes now and after each connection.
    public func subscribe(to filters: [String]) { supervisor.subscribe(to: filters) }

    /// Ends subscriptions.
    public func unsubscribe(from filters: [String]) { supervisor.unsubscribe(from: filters) }

    /// Subscribes now and after each connection. The retained messages arrive again if the subscription exists.
    public func resubscribe(to filters: [String]) { supervisor.resubscribe(to: filters) }

    /// Delivers a message at least once. Its JSON object gets the key `mid`.
    public func store(_ publication: Publication) { outbox.enqueue(publication) }

    /// Sends a message that is not stored, for example a retained status. Returns false without a connection.
    @discardableResult
    public func publish(_ publication: Publication) -> Bool { supervisor.publish(publication) }

    /// Connects again with another client identifier.
    func useIdentifier(suffix: String) { supervisor.useIdentifier("\(identifier)-\(suffix)") }

    /// The identifiers of commands of earlier processes, the oldest first.
    let usedIdentifiers: [UsedIdentifier]

    /// Stores the identifier of a command before it is executed.
    ///
    /// - Parameters:
    ///   - duration: Older identifiers may be forgotten.
    ///   - completion: Receives whether a restart will know it. Otherwise, the command must not be executed.
    func remember(
        _ identifier: UsedIdentifier, keeping duration: Duration, _ completion: @escaping (_ isStored: Bool) -> Void
    ) {
        messages.run { store -> Bool in
            (try? store.remember(identifier, keeping: duration)) != nil
        } then: {
            completion($0)
        }
    }

    /// The counters of encrypted packets of earlier processes.
    let encryptedCounters: [EncryptedCounter]

    /// Stores all counters for the next process, and forgets others. If the store fails, it has older ones.
    func save(_ counters: [EncryptedCounter]) {
        guard !counters.isEmpty || !encryptedCounters.isEmpty else { return }
        messages.run {
            try? $0.save(counters)
        } then: { _ in
        }
    }

    /// Stores the counters that changed without a message.
    func saveChangedCounters() { outbox.saveChangedCounters() }

    /// Ends in an orderly way: stores everything, publishes `offline`, waits for confirmations, and disconnects.
    ///
    /// - Parameters:
    ///   - limit: The longest wait for confirmations. What is not confirmed then is sent after the next start.
    ///   - completion: Is called once, in the context of the gateway.
    public func stop(within limit: Duration = .seconds(5), _ completion: @escaping () -> Void) {
        outbox.flush()
        outbox.endSending()
        supervisor.stop(within: limit) { [outbox] in
            outbox.finish {
                outbox.cancel()
                completion()
            }
        }
    }
}

/// What waits for the broker, and what was lost.
public struct DeliverySummary: Hashable, Sendable {
    /// The messages in the store, also those in flight.
    public var store: StoreSummary
    /// The messages in memory that are not stored yet.
    public var unstored: Int
    /// The messages that were sent and not confirmed.
    public var inFlight: Int
    /// The messages that were lost because the store failed for long.
    public var droppedUnstored: Int
    /// The messages that the broker refused for good.
    public var rejected: Int
    /// How often the broker refused messages for now.
    public var refusedForNow: Int
    /// How often messages were not sent because they are too large for the broker, or make it close the connection.
    public var setAside: Int
    /// The messages of other clients that were ignored, because they were too large or too many.
    public var receivedIgnored: Int
    /// Why messages cannot be stored at the moment.
    public var storeFailure: StoreFailure?
}
