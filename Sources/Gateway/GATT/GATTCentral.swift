import Rx
public import RxBluetooth

/// The connections of a gateway through one adapter: it runs the GATT jobs and the commands of the listed devices.
///
/// It belongs to the loop of the gateway, like the manager's scheduler. Call all methods there.
///
///     let central = GATTCentral(manager: manager, loop: loop, devices: configuration.devices)
///     central.handler = { event in publish(event) }
///     central.start()
///     // For each advertisement, which makes the device eligible for a connection:
///     central.heard(address, kind: scanned.peripheral.addressKind)
///
/// A device is connected while it was heard, this gateway owns it, and a job or a command needs the link. If more
/// devices need a link than the adapter has, they take turns.
public final class GATTCentral {
    /// The limits of connections.
    public struct Settings: Hashable, Sendable {
        /// The largest number of links. If the adapter has fewer, the gateway learns it.
        public var maximumLinks = 32
        /// How long a device keeps its link while others wait.
        public var minimumStay = Duration.seconds(30)
        /// A device that was not heard for this time is not connected.
        public var heardTimeout = Duration.seconds(60)

        /// Whether a link of an earlier process or another program is closed when this gateway does not need it.
        public var closesForeignLinks = true

        /// Creates the default settings.
        public init() {}
    }

    /// Receives all events, in the loop, and never from within a call of this class, except for ``stop()``.
    public var handler: ((GATTEvent) -> Void)?

    /// Returns the address of the configuration for a peripheral with a private address.
    var identity: (Peripheral) -> BluetoothAddress = { $0.address }

    /// Runs when the adapter has reported whether it can be used.
    var onAvailability: (() -> Void)?
    /// Receives a device that has a link of an earlier process or another program.
    var onConnected: ((Peripheral) -> Void)?

    let manager: BluetoothManager
    let loop: GatewayLoop
    let settings: Settings
    var devices: [BluetoothAddress: GATTDevice] = [:]
    var scheduler: ConnectionScheduler
    /// The commands that wait or run. The first one of a device may run.
    var commands: [BluetoothAddress: [PendingCommand]] = [:]
    private let subscriptions = CompositeDisposable()
    private let wake = SerialDisposable()
    private let connectedSearch = SerialDisposable()
    private(set) var isStarted = false
    private var isDecisionPending = false

    /// Creates connections, which do nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - manager: The manager of the adapter. It must deliver in the loop.
    ///   - loop: The loop of the gateway.
    ///   - devices: The devices of the configuration. Only these are connected.
    ///   - settings: The limits.
    public init(
        manager: BluetoothManager, loop: GatewayLoop, devices: [DeviceSettings], settings: Settings = Settings()
    ) {
        self.manager = manager
        self.loop = loop
        self.settings = settings
        var limits = ConnectionScheduler.Settings()
        limits.maximumLinks = settings.maximumLinks
        limits.minimumStay = settings.minimumStay
        scheduler = ConnectionScheduler(limits)
        for device in devices { add(device) }
    }

    /// Starts to connect to devices.
    public func start() {
        loop.preconditionInContext()
        guard !isStarted else { return }
        isStarted = true
        let central = loop.bound(WeakReference(self))
        _ = subscriptions.insert(
            manager.obstacle.subscribe { event in
                guard let central = central.value.object, case .next(let obstacle) = event else { return }
                central.scheduler.setAvailable(obstacle == nil, now: central.loop.monotonicTime)
                if obstacle == nil { central.findConnected() }
                central.decideSoon()
                central.onAvailability?()
            })
        decideSoon()
    }

    /// Whether the adapter can be used, as far as it is known.
    var isAvailable: Bool { scheduler.isAvailable }

    /// Closes all links. Emits the results of commands that wait or run, which fail, and nothing after it returns.
    public func stop() {
        loop.preconditionInContext()
        isStarted = false
        failCommands()
        handler = nil
        onAvailability = nil
        onConnected = nil
        subscriptions.dispose()
        wake.dispose()
        connectedSearch.dispose()
        for device in devices.values {
            device.run = nil
            device.jobs.end()
            device.connection.dispose()
            for deadline in device.deadlines.values { deadline.dispose() }
        }
    }

    /// Stores that a device was heard, so that it can be connected. Ignores devices that are not in the configuration.
    ///
    /// - Parameters:
    ///   - address: The address of the configuration.
    ///   - kind: The kind of the address that was received; nil if it is not known.
    ///   - received: The address that was received, which may be private. Default: `address`.
    public func heard(
        _ address: BluetoothAddress, kind: BluetoothAddress.Kind?, from received: BluetoothAddress? = nil
    ) {
        guard let device = devices[address] else { return }
        let now = loop.monotonicTime
        device.lastHeard = now
        device.kind = kind ?? device.kind
        device.presentAddress = received ?? address
        guard scheduler.devices[address]?.isHeard != true else { return }
        scheduler.setHeard(true, address, now: now)
        decideSoon()
    }

    func heard(_ address: BluetoothAddress, _ peripheral: Peripheral) {
        heard(address, kind: peripheral.addressKind, from: peripheral.address)
    }

    /// Stores whether this gateway runs the jobs of a device. Default: it does. Commands do not depend on it.
    public func setOwned(_ isOwned: Bool, _ address: BluetoothAddress) {
        guard let device = devices[address] else { return }
        let hasJobs = isOwned && !device.settings.jobs.isEmpty
        guard scheduler.devices[address]?.hasJobs != hasJobs else { return }
        scheduler.setJobs(hasJobs, of: address, now: loop.monotonicTime)
        if !hasJobs { device.jobs.end() } else if let link = device.peripheral { device.jobs.begin(on: link) }
        decideSoon()
    }

    /// Executes a command, which gets one result. Its deadline began at its arrival.
    func receive(_ command: PendingCommand) {
        commands[command.address, default: []].append(command)
        countCommands(command.address)
        setDeadline(of: command)
        decideSoon()
    }

    /// Removes and returns the commands that wait, without results. One that runs stays.
    ///
    /// - Parameter address: The device; nil for all devices.
    func takeCommands(of address: BluetoothAddress? = nil) -> [PendingCommand] {
        let addresses = address.map { [$0] } ?? commands.keys.sorted()
        return addresses.flatMap { takeCommands($0) }
    }

    private func takeCommands(_ address: BluetoothAddress) -> [PendingCommand] {
        guard let device = devices[address], let all = commands[address] else { return [] }
        let taken = all.filter { $0.command.id != device.run?.command.id }
        guard !taken.isEmpty else { return [] }
        commands[address] = all.filter { $0.command.id == device.run?.command.id }
        for command in taken { device.deadlines.removeValue(forKey: command.command.id)?.dispose() }
        countCommands(address)
        decideSoon()
        return taken
    }

    /// The number of links, and of links that the adapter has as far as it is known.
    public var links: (count: Int, limit: Int) {
        (devices.values.count { $0.peripheral != nil }, scheduler.limit)
    }

    /// The state of the connection to a device; nil for a device that is not in the configuration.
    public func state(of address: BluetoothAddress) -> GATTLinkState? { devices[address]?.state }

    /// The number of attempts to connect that failed since the last link, or since the device was heard again.
    public func failures(of address: BluetoothAddress) -> Int { devices[address]?.failures ?? 0 }

    // MARK: - Decisions

    func emit(_ content: GATTEvent.Content, _ address: BluetoothAddress) {
        handler?(GATTEvent(address: address, time: loop.scheduler.now, content: content))
    }

    /// Decides after all work that waits in the loop now.
    func decideSoon() {
        guard isStarted, !isDecisionPending else { return }
        isDecisionPending = true
        let central = loop.bound(WeakReference(self))
        loop.perform { central.value.object?.decide() }
    }

    private func decide() {
        isDecisionPending = false
        guard isStarted else { return }
        let now = loop.monotonicTime
        forgetUnheard(now)
        let (actions, wakeTime) = scheduler.decide(now: now)
        for action in actions {
            switch action {
            case .connect(let address): connect(address)
            case .disconnect(let address): close(address)
            case .cancel(let address):
                devices[address]?.connection.disposable = Disposables.create()
                ended(address, .closed)
            }
        }
        guard let wakeTime else { return wake.disposable = Disposables.create() }
        let central = loop.bound(WeakReference(self))
        wake.disposable = loop.schedule(after: max(.milliseconds(1), wakeTime - now)) {
            central.value.object?.decideSoon()
        }
    }

    /// A device without a link that was not heard for a while is not connected, because the attempt would delay others.
    private func forgetUnheard(_ now: Duration) {
        for (address, device) in devices where device.peripheral == nil {
            guard let heard = device.lastHeard, now - heard > settings.heardTimeout else { continue }
            if scheduler.devices[address]?.isHeard == true { device.failures = 0 }
            scheduler.setHeard(false, address, now: now)
        }
    }

    /// Finds devices with a link of an earlier process or another program, because they do not advertise.
    func findConnected() {
        let central = loop.bound(WeakReference(self))
        connectedSearch.disposable = manager.retrieveConnectedPeripherals().subscribe { result in
            guard let central = central.value.object, case .success(let peripherals) = result else { return }
            for peripheral in peripherals {
                central.heard(central.identity(peripheral), peripheral)
                central.onConnected?(peripheral)
            }
        }
    }
}
