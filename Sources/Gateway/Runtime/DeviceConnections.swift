import Rx
import RxBluetooth

/// The connections of a gateway to its devices over all adapters, and their sharing with other gateways.
///
/// Each adapter has a ``GATTCentral``. A device belongs to the adapter that hears it best, with hysteresis.
final class DeviceConnections {
    /// Receives states, values, failures and results, with the device's name.
    var onEvent: ((GATTEvent) -> Void)?
    /// Receives whether a device has a link, when that changes.
    var onLink: ((BluetoothAddress, Bool) -> Void)?
    /// Receives the adapter over which a value has arrived.
    var onValue: ((AdapterKey) -> Void)?
    /// Receives the name of another gateway, and the device that it reports; nil if it only exists.
    var onGateway: ((_ name: String, _ address: BluetoothAddress?) -> Void)?

    /// Receives a line about gateways without an availability.
    var onSilentGateways: ((String) -> Void)?

    /// Returns the address of the configuration for a peripheral with a private address.
    var identity: ((Peripheral) -> BluetoothAddress)?

    var devices: [DeviceSettings]
    private let settings: GATTCentral.Settings
    let loop: GatewayLoop
    let delivery: MessageDelivery
    var known: Set<BluetoothAddress>
    private(set) var sharing: DeviceSharing?
    // The gateways that have announced themselves without an availability.
    var silentGateways: SilentGateways
    let silenceCheck: PlannedWork
    private(set) var centrals: [AdapterKey: GATTCentral] = [:]
    /// The adapters in the order in which they were found.
    private(set) var order: [AdapterKey] = []
    var choices: [BluetoothAddress: AdapterChoice] = [:]
    /// The adapters of the devices with a link.
    var linked: [BluetoothAddress: AdapterKey] = [:]
    var book: CommandBook
    var held = HeldCommands()
    /// The accepted commands, while their identifiers are being stored.
    var unsaved: [PendingCommand] = []
    let heldTimer = SerialDisposable()
    /// The commands that no adapter executed before their deadlines.
    var expiredCommands = 0
    /// The numbers in values of jobs and commands that their sensors cannot have measured.
    private(set) var impossibleValues = 0
    private let timer = SerialDisposable()
    private var timerDue: Duration?

    /// Identifies the supervisor of an adapter.
    typealias AdapterKey = ObjectIdentifier

    /// The adapter to which a device belongs.
    struct AdapterChoice {
        var adapter: AdapterKey
        var rssi: Int
        var lastHeard: Duration
    }

    /// Another adapter takes over a device that is this much stronger there, in dB.
    private static let hysteresis = 10
    /// Another adapter takes over a device that its adapter has not heard for this time.
    private static let longestSilence = Duration.seconds(30)
    /// After this many failed attempts, another gateway may try.
    private static let failuresBeforeOthers = 3

    init(_ configuration: GatewayConfiguration, delivery: MessageDelivery, loop: GatewayLoop) {
        devices = configuration.devices
        silentGateways = SilentGateways(of: configuration.name)
        silenceCheck = PlannedWork(loop)
        settings = configuration.connections
        known = Set(configuration.devices.map(\.address))
        book = CommandBook(
            allowed: known, maximumAge: configuration.commands.maximumAge, used: delivery.usedIdentifiers,
            now: loop.monotonicTime)
        self.delivery = delivery
        self.loop = loop
        if configuration.sharing.isEnabled {
            sharing = DeviceSharing(
                gateway: configuration.name, devices: configuration.devices, settings: configuration.sharing,
                availability: configuration.topics.availability, now: loop.monotonicTime)
            delivery.isShared = sharing?.isShared
            delivery.onSharedIgnored = { [unowned self] topic in
                share {
                    $0.ignored(topic: topic, now: loop.monotonicTime)
                    return []
                }
            }
        }
    }

    /// Uses a manager for the connections of an adapter, instead of an earlier one.
    func setManager(_ manager: BluetoothManager, of adapter: AdapterKey) {
        if let old = centrals.removeValue(forKey: adapter) {
            // Only the commands that run fail.
            for command in old.takeCommands() { held.add(command) }
            old.stop()
        }
        for address in linked.keys where linked[address] == adapter { setLinked(false, address, adapter) }
        // Also without devices, because it answers commands.
        let central = GATTCentral(manager: manager, loop: loop, devices: devices, settings: settings)
        centrals[adapter] = central
        if !order.contains(adapter) { order.append(adapter) }
        central.identity = { [weak self] in self?.identity?($0) ?? $0.address }
        central.handler = { [weak self] event in self?.handle(event, of: adapter) }
        central.onAvailability = { [weak self] in self?.availabilityChanged(of: adapter) }
        central.onConnected = { [weak self] in self?.found($0, by: adapter) }
        for device in devices where choices[device.address]?.adapter != adapter || !isOwned(device.address) {
            central.setOwned(false, device.address)
        }
        central.start()
        releaseHeld()
    }

    /// Closes all links. Emits the results of commands that wait, which fail, as further ones do.
    func stop() {
        book.isClosed = true
        timer.dispose()
        silenceCheck.dispose()
        heldTimer.dispose()
        failHeld()
        for central in centrals.values { central.stop() }
        centrals = [:]
    }

    /// The number of links over all adapters.
    var linkCount: Int { centrals.values.reduce(0) { $0 + $1.links.count } }

    /// Stores that an adapter heard the device with this identity.
    func heard(_ address: BluetoothAddress, _ peripheral: Peripheral, rssi: Int?, by adapter: AdapterKey) {
        guard known.contains(address) else { return }
        let now = loop.monotonicTime
        let rssi = rssi ?? -127
        choose(adapter, for: address, rssi: rssi, now: now)
        if choices[address]?.adapter == adapter { centrals[adapter]?.heard(address, peripheral) }
        share { $0.heard(address, rssi: rssi, now: now) }
    }

    /// A device has a link at bluetoothd, so it may not advertise.
    private func found(_ peripheral: Peripheral, by adapter: AdapterKey) {
        let address = identity?(peripheral) ?? peripheral.address
        guard known.contains(address), choices[address] == nil else { return }
        choose(adapter, for: address, rssi: -127, now: loop.monotonicTime)
    }

    /// Whether the configuration describes the device.
    func isDescribed(_ address: BluetoothAddress) -> Bool { known.contains(address) }

    /// Handles a message of another gateway. Messages of other topics are ignored.
    func receive(_ message: ReceivedMessage) {
        let now = loop.monotonicTime
        checkAvailability(of: message)
        share { $0.receive(message, now: now) }
    }

    /// The connection to the broker was made or has ended.
    func brokerChanged(isConnected: Bool) {
        let now = loop.monotonicTime
        silentGateways.reset()
        share { isConnected ? $0.connected(now: now) : $0.disconnected(now: now) }
    }

    func isOwned(_ address: BluetoothAddress) -> Bool { sharing?.isOwned(address) ?? true }

    private func choose(_ adapter: AdapterKey, for address: BluetoothAddress, rssi: Int, now: Duration) {
        guard let choice = choices[address], choice.adapter != adapter else {
            let isNew = choices[address] == nil
            choices[address] = AdapterChoice(adapter: adapter, rssi: rssi, lastHeard: now)
            if isNew {
                centrals[adapter]?.setOwned(isOwned(address), address)
                moveCommands(of: address, to: adapter)
            }
            return
        }
        let old = centrals[choice.adapter]
        // An adapter that cannot be used has no claim.
        if let old, old.isAvailable {
            // A link stays where it is, because the peripheral does not advertise to its own central.
            guard old.state(of: address) == .disconnected else { return }
            guard now - choice.lastHeard > Self.longestSilence || rssi >= choice.rssi + Self.hysteresis else { return }
        }
        guard centrals[adapter]?.isAvailable == true else { return }
        old?.setOwned(false, address)
        choices[address] = AdapterChoice(adapter: adapter, rssi: rssi, lastHeard: now)
        centrals[adapter]?.setOwned(isOwned(address), address)
        moveCommands(of: address, to: adapter)
    }

    func setLinked(_ isLinked: Bool, _ address: BluetoothAddress, _ adapter: AdapterKey) {
        if isLinked {
            linked[address] = adapter
        } else {
            guard linked[address] == adapter else { return }
            linked[address] = nil
        }
        onLink?(address, isLinked)
    }

    private func handle(_ event: GATTEvent, of adapter: AdapterKey) {
        let now = loop.monotonicTime
        switch event.content {
        case .state(.connected):
            setLinked(true, event.address, adapter)
            share { $0.link(event.address, isUp: true, now: now) }
        case .state(.disconnected):
            // The device may have a link over another adapter already.
            let isCurrent = linked[event.address].map { $0 == adapter } ?? true
            setLinked(false, event.address, adapter)
            if isCurrent { share { $0.link(event.address, isUp: false, now: now) } }
        case .value(let value):
            impossibleValues += value.fields.impossibleCount
            onValue?(adapter)
        case .result(let result):
            for value in result.values { impossibleValues += value.fields.impossibleCount }
            if let id = result.id { book.finish(id, of: event.address) }
        case .failure(let failure) where failure.characteristic == nil:
            let failures = centrals[adapter]?.failures(of: event.address) ?? 0
            if failures >= Self.failuresBeforeOthers { share { $0.connectFailed(event.address, now: now) } }
        default: break
        }
        onEvent?(event)
    }

    /// Passes an event to the sharing, and executes its actions.
    func share(_ event: (inout DeviceSharing) -> [DeviceSharing.Action]) {
        guard sharing != nil else { return }
        // In place: a copy of the state would copy the table of all devices.
        let actions = event(&sharing!)
        for action in actions {
            switch action {
            case .subscribe(let filters): delivery.resubscribe(to: filters)
            case .publish(let publication): delivery.publish(publication)
            case .setOwned(let address, let isOwned):
                if let adapter = choices[address]?.adapter { centrals[adapter]?.setOwned(isOwned, address) }
            case .foundGateway(let name, let address): onGateway?(name, address)
            // Home Assistant has it from the retained topic.
            case .setRoom: break
            }
        }
        startTimer()
    }

    private func startTimer() {
        // Most advertisements do not change the time, and need no timer of their own.
        guard let wake = sharing?.wake, wake != timerDue else { return }
        timerDue = wake
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: max(.milliseconds(1), wake - loop.monotonicTime)) {
            guard let connections = bound.value.object else { return }
            connections.timerDue = nil
            let now = connections.loop.monotonicTime
            connections.share { $0.tick(now: now) }
        }
    }
}
