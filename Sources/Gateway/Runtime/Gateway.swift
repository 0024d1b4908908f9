import BluetoothValues
import Rx
public import RxBluetooth

/// A gateway: it publishes what Bluetooth devices send to an MQTT broker.
///
/// It belongs to the context of its loop: call all methods there. The manager, the broker and the store are parameters,
/// so that a gateway also runs in virtual time, with simulated parts.
/// ```swift
/// let gateway = Gateway(configuration, loop: loop, broker: broker, store: store) { adapter in
///     BluetoothManager(configuration: .init(adapter: adapter, scheduler: loop.scheduler))
/// }
/// gateway.onEvent = { print($0) }
/// gateway.start()
/// ```
public final class Gateway {
    /// Makes a manager for an adapter. It has to deliver in the loop of the gateway.
    public typealias ManagerFactory = (AdapterSelection) -> BluetoothManager

    /// Receives what happens, for a log. Never called from within a method of this class, except for `stop`.
    public var onEvent: ((GatewayEvent) -> Void)?
    /// Receives the status whenever it is published, or would be if the broker were connected.
    public var onStatus: ((GatewayStatus) -> Void)?

    var configuration: GatewayConfiguration
    let loop: GatewayLoop
    let delivery: MessageDelivery
    let adapters: AdapterSet
    let pipeline: ReadingPipeline
    let connections: DeviceConnections
    var topics: GatewayTopics
    var commandFilter: TopicFilter?
    /// The keys of the program, besides those of the configuration.
    let programKeys: KeyStore
    let discovery: DiscoveryPublisher?
    let states: StateRepeater?
    var ownDiscovery: HomeAssistantGateway?
    private let startTime: Duration
    var counts = Counts()
    var instances: InstanceWatch
    var rates = AdvertisementRates()
    private let statusTimer = SerialDisposable()
    private(set) var isRunning = false
    private var isStatusPending = false

    /// What a gateway counts besides its parts.
    struct Counts {
        var brokerConnections = 0
        var commands = 0
        /// Commands to a device that the configuration does not describe, or to a topic without an address.
        var unknownDevices = 0
        /// The lines about them.
        var unknownReports = MinimumInterval(.seconds(60))
        /// Commands that another gateway with the same name executes.
        var leftCommands = 0
        /// The lines about them.
        var leftReports = MinimumInterval(.seconds(600))
        var recoverySteps = 0
    }

    /// The time between two messages with the status.
    static let statusInterval = Duration.seconds(60)

    /// Creates a gateway, which does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - loop: The context in which everything runs.
    ///   - broker: The connection to the broker.
    ///   - store: Keeps messages until the broker confirms them.
    ///   - storeLoop: The context of the store, so that a slow disk does not stop the gateway. Default: `loop`.
    ///   - keys: The keys of devices that encrypt their advertisements, besides those of the configuration.
    ///   - formats: The formats of advertisements that the program adds to those of the library. Default: none.
    ///   - reset: Resets a silent radio; nil if that is not possible.
    ///   - makeManager: Makes the manager of an adapter.
    public init(
        _ configuration: GatewayConfiguration, loop: GatewayLoop, broker: any Broker, store: any PublicationStore,
        storeLoop: GatewayLoop? = nil, keys: KeyStore = KeyStore(), formats: [any AdvertisementFormat.Type] = [],
        reset: AdapterSupervisor.Reset? = nil, makeManager: @escaping ManagerFactory
    ) {
        self.configuration = configuration
        self.loop = loop
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        commandFilter = TopicFilter(topics.commandFilter)
        startTime = loop.monotonicTime
        instances = InstanceWatch(InstanceWatch.Instance(started: loop.scheduler.now))
        let client = Self.client(of: configuration)
        delivery = MessageDelivery(
            broker: broker, client: client, availability: topics.availability, store: store,
            settings: DeliverySettings(broker: configuration.broker, store: configuration.store), loop: loop,
            storeLoop: storeLoop)
        programKeys = keys
        adapters = AdapterSet(
            configuration.adapters, loop: loop, settings: configuration.recovery, reset: reset, makeManager: makeManager
        )
        let pipeline = ReadingPipeline(
            configuration, keys: configuration.keys(besides: keys), formats: formats, loop: loop)
        self.pipeline = pipeline
        pipeline.restore(delivery.encryptedCounters)
        connections = DeviceConnections(configuration, delivery: delivery, loop: loop)
        discovery = DiscoveryPublisher(configuration, delivery: delivery, loop: loop)
        states = StateRepeater(configuration, delivery: delivery, loop: loop) { pipeline.presence(of: $0) }
        ownDiscovery = HomeAssistantGateway(configuration)
        connectParts()
    }

    /// Returns the client of the broker for a configuration: its identifier, last will and settings.
    public static func client(of configuration: GatewayConfiguration) -> BrokerClient {
        let topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        return BrokerClient(
            gateway: configuration.name, availability: topics.availability, settings: configuration.broker)
    }

    /// Connects to the broker, and begins to scan.
    public func start() {
        loop.preconditionInContext()
        guard !isRunning else { return }
        isRunning = true
        delivery.subscribe(to: [topics.commandFilter])
        if let discovery { delivery.subscribe(to: discovery.filters) }
        if let ownDiscovery { delivery.subscribe(to: [ownDiscovery.topic]) }
        delivery.start()
        adapters.start()
        scheduleStatus()
        report(.info, "gateway \(configuration.name) started")
    }

    /// Uses another configuration, without losing links, readings, or messages that wait.
    ///
    /// Reports which of its settings need a restart. They keep their present values.
    public func reload(_ configuration: GatewayConfiguration) {
        loop.preconditionInContext()
        guard isRunning else { return }
        let reload = self.configuration.reload(configuration)
        let hasChanged = reload.configuration != self.configuration
        if hasChanged { apply(reload.configuration) }
        let kept = reload.needsRestart.joined(separator: ", ")
        switch (hasChanged, kept.isEmpty) {
        case (true, true): report(.info, "the configuration was read again")
        case (true, false):
            report(.warning, "the configuration was read again; a change of these settings needs a restart: \(kept)")
        case (false, true): report(.info, "the configuration was read again; it has not changed")
        case (false, false): report(.warning, "a change of these settings needs a restart: \(kept)")
        }
    }

    /// Stops in an orderly way: closes links and scans, delivers what waits, and publishes `offline`.
    ///
    /// - Parameters:
    ///   - limit: The longest wait for the broker. What it does not confirm is sent after the next start.
    ///   - completion: Called once, in the loop.
    public func stop(within limit: Duration = .seconds(5), _ completion: @escaping () -> Void) {
        loop.preconditionInContext()
        guard isRunning else { return completion() }
        isRunning = false
        statusTimer.dispose()
        var remaining = 2
        let step = { [self] in
            remaining -= 1
            guard remaining == 0 else { return }
            report(.info, "gateway \(configuration.name) stopped")
            completion()
        }
        pipeline.flush()
        delivery.save(pipeline.countersToSave)
        connections.stop()
        // Delivers the last results of connections first.
        let bound = loop.bound(step)
        adapters.close { bound.value() }
        delivery.stop(within: limit) { step() }
    }

    /// The time since the gateway was created.
    var uptime: Duration { loop.monotonicTime - startTime }

    private func connectParts() {
        adapters.onResult = { [unowned self] in received($0, by: ObjectIdentifier($1)) }
        adapters.onManager = { [unowned self] in connections.setManager($0, of: ObjectIdentifier($1)) }
        adapters.onReport = { [unowned self] in recovered($0) }
        adapters.onAvailability = { [unowned self] in changed($0) }
        adapters.onVersion = { [unowned self] in
            if let version = adapters.daemonVersion { report(.info, "bluetoothd has the version \(version)") }
            publishStatusSoon()
        }
        adapters.onName = { [unowned self] in publishStatusSoon() }
        pipeline.onReading = { [unowned self] in publish($0) }
        pipeline.onValue = { [unowned self] in store($0) }
        pipeline.onPresence = { [unowned self] in publish($0, $1) }
        pipeline.onNameRefused = { [unowned self] in
            let reason = "which would make a topic of another device or of the gateway"
            report(.warning, "\($0.text) advertises the name “\($1)”, \(reason); its address is used instead")
        }
        pipeline.onNotice = { [unowned self] in report($0) }
        connections.onSilentGateways = { [unowned self] in report(.warning, $0) }
        discovery?.onNotice = { [unowned self] in report($0) }
        pipeline.onKeyProblem = { [unowned self] in report(.warning, "\($0.text): \($1)") }
        connections.identity = { [unowned self] in pipeline.identity(of: $0) }
        connections.onLink = { [unowned self] in pipeline.setLinked($1, $0) }
        connections.onValue = { [unowned self] in adapters.supervisor($0)?.receivedValue() }
        connections.onEvent = { [unowned self] in publish($0) }
        connections.onGateway = { [unowned self] in discovery?.foundGateway($0, hearing: $1) }
        delivery.changedCounters = { [weak self] in self?.pipeline.changedCounters ?? [] }
        delivery.onCountersSaved = { [weak self] in self?.pipeline.markSaved($0) }
        delivery.onConnectionChange = { [unowned self] in brokerChanged(isConnected: $0) }
        delivery.isCommand = { [unowned self] in commandFilter?.matches($0) ?? false }
        delivery.expectsEcho = { [unowned self] in isOwnSubscription($0) }
        delivery.onReceived = { [unowned self] in received($0) }
        delivery.onRefused = { [unowned self] in discovery?.refused($0) }
        delivery.onTakenOver = { [unowned self] in handle(instances.takenOver(at: loop.monotonicTime)) }
        delivery.onNotice = { [unowned self] in report($0.isProblem ? .warning : .info, $0.description) }
    }

    /// Whether the gateway subscribes to a topic that it publishes.
    private func isOwnSubscription(_ topic: String) -> Bool {
        if topic == topics.availability || topic == ownDiscovery?.topic { return true }
        if topic == topics.discovered { return discovery != nil }
        return delivery.isShared?(topic) == true || discovery?.filters.contains(topic) == true
    }

    func report(_ level: GatewayEvent.Level, _ text: String) { onEvent?(GatewayEvent(level, text)) }

    private func report(_ notice: DeviceLimitNotice) {
        report(notice.isProblem ? .warning : .info, notice.description)
        publishStatusSoon()
    }
}

// From devices to the broker.
extension Gateway {
    private func received(_ scanned: ScannedPeripheral, by adapter: ObjectIdentifier) {
        guard isRunning else { return }
        let address = pipeline.identity(of: scanned.peripheral)
        _ = pipeline.receive(scanned, of: address)
        connections.heard(address, scanned.peripheral, rssi: scanned.rssi, by: adapter)
    }

    private func publish(_ message: ReadingMessage) {
        delivery.store(message.publication(topics))
        discovery?.add(message.device, message.reading)
        if hasDiscovery(message.device) { states?.add(message) }
    }

    /// Whether Home Assistant knows a device, and needs its states after a start.
    private func hasDiscovery(_ device: MessageDevice) -> Bool { discovery?.contains(device.address) == true }

    private func publish(_ message: PresenceMessage, _ kind: PresenceMonitor.Change.Kind) {
        delivery.store(message.publication(topics))
        switch kind {
        case .updated, .forgotten: return
        case .found:
            report(.debug, "found \(message.device.text)")
            // A described device without readings is shown with its presence.
            if connections.isDescribed(message.device.address) { discovery?.add(message.device) }
        case .lost: report(.debug, "lost \(message.device.text)")
        }
        if hasDiscovery(message.device) { states?.add(message) }
    }

    private func publish(_ event: GATTEvent) {
        if case .value = event.content { pipeline.publish(event) } else { store(event) }
    }

    private func store(_ event: GATTEvent) {
        let device = pipeline.device(event.address)
        var topic = topics.connection(of: device)
        switch event.content {
        case .result: topic = topics.result(of: device)
        case .state(let state): report(.debug, "\(device.text) is \(state.rawValue)")
        case .failure(let failure): report(.warning, "\(device.text): \(failure.text)")
        case .value(let value):
            discovery?.add(device, value)
            pipeline.receivedValue(of: event.address)
        }
        let publication = Publication(topic: topic, payload: event.payload(of: device))
        delivery.store(publication)
        if hasDiscovery(device) { states?.add(event.content, publication, of: device) }
    }

    private func changed(_ change: AdapterAvailability.Change) {
        var level = change.level
        // Then the supervisor of each adapter reports the obstacle.
        if case .obstacle = change, !adapters.supervisors.isEmpty { level = .debug }
        report(level, change.text)
        publishStatusSoon()
    }

    private func recovered(_ event: SupervisionEvent) {
        if case .began = event.report { counts.recoverySteps += 1 }
        report(event.level, event.text)
        publishStatusSoon()
    }
}

// From the broker to devices.
extension Gateway {
    private func brokerChanged(isConnected: Bool) {
        connections.brokerChanged(isConnected: isConnected)
        guard isConnected else { return }
        counts.brokerConnections += 1
        // The retained status arrives before this gateway replaces it.
        delivery.resubscribe(to: [topics.status])
        if let message = ownDiscovery?.publication { delivery.publish(message) }
        discovery?.connected()
        publishStatus()
    }

    private func received(_ message: ReceivedMessage) {
        if commandFilter?.matches(message.topic) == true { return receivedCommand(message) }
        if message.topic == topics.status {
            return handle(instances.receive(message, at: loop.monotonicTime))
        }
        let isStart = discovery?.receive(message) { [weak self] in
            guard let self else { return }
            report(.info, "Home Assistant has started; its devices and their states are published again")
            states?.repeatAll()
            if let message = ownDiscovery?.publication { delivery.publish(message) }
        }
        if isStart == true || ownDiscovery?.receive(message) == true { return }
        connections.receive(message)
    }
}

// The status.
extension Gateway {
    private func scheduleStatus() {
        let bound = loop.bound(WeakReference(self))
        statusTimer.disposable = loop.schedule(after: Self.statusInterval) {
            guard let gateway = bound.value.object, gateway.isRunning else { return }
            gateway.delivery.saveChangedCounters()
            gateway.discovery?.expire()
            gateway.handle(gateway.instances.expire(at: gateway.loop.monotonicTime))
            gateway.publishStatus()
            gateway.scheduleStatus()
        }
    }

    /// Publishes the status after all work that waits, so that several changes make one message.
    func publishStatusSoon() {
        guard !isStatusPending else { return }
        isStatusPending = true
        let bound = loop.bound(WeakReference(self))
        loop.perform {
            guard let gateway = bound.value.object else { return }
            gateway.isStatusPending = false
            gateway.publishStatus()
        }
    }

    private func publishStatus() {
        let status = status()
        if let message = ownDiscovery?.update(status) { delivery.publish(message) }
        delivery.publish(status.publication(topics))
        if delivery.isConnected { for message in ownDiscovery?.removals(status) ?? [] { delivery.publish(message) } }
        onStatus?(status)
    }
}

extension MessageDevice {
    /// The address and the name, for the log.
    var text: String { name.map { "\(address) “\($0)”" } ?? address.description }
}
