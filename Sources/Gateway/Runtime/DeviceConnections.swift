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

    /// Returns the address of the configuration for a peripheral with a private address.
    var identity: ((Peripheral) -> BluetoothAddress)?

    private let devices: [DeviceSettings]
    private let settings: GATTCentral.Settings
    private let loop: GatewayLoop
    private let delivery: MessageDelivery
    private let known: Set<BluetoothAddress>
    private var sharing: DeviceSharing?
    private var centrals: [AdapterKey: GATTCentral] = [:]
    private var choices: [BluetoothAddress: AdapterChoice] = [:]
    /// The adapters of the devices with a link.
    private var linked: [BluetoothAddress: AdapterKey] = [:]
    private var held: HeldCommands
    private let heldTimer = SerialDisposable()
    /// The commands that no adapter executed before their deadlines.
    private(set) var expiredCommands = 0
    private let timer = SerialDisposable()
    private var timerDue: Duration?

    /// Identifies the supervisor of an adapter.
    typealias AdapterKey = ObjectIdentifier

    /// The adapter to which a device belongs.
    private struct AdapterChoice {
        var adapter: AdapterKey
        var rssi: Int16
        var lastHeard: Duration
    }

    /// Another adapter takes over a device that is this much stronger there, in dB.
    private static let hysteresis: Int16 = 10
    /// Another adapter takes over a device that its adapter has not heard for this time.
    private static let longestSilence = Duration.seconds(30)
    /// After this many failed attempts, another gateway may try.
    private static let failuresBeforeOthers = 3

    init(_ configuration: GatewayConfiguration, delivery: MessageDelivery, loop: GatewayLoop) {
        devices = configuration.devices
        settings = configuration.connections
        known = Set(configuration.devices.map(\.address))
        held = HeldCommands(allowed: known)
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
        centrals.removeValue(forKey: adapter)?.stop()
        for address in linked.keys where linked[address] == adapter { setLinked(false, address, adapter) }
        // Also without devices, because it answers commands.
        let central = GATTCentral(manager: manager, loop: loop, devices: devices, settings: settings)
        centrals[adapter] = central
        central.identity = { [weak self] in self?.identity?($0) ?? $0.address }
        central.handler = { [weak self] event in self?.handle(event, of: adapter) }
        for device in devices where choices[device.address]?.adapter != adapter || !isOwned(device.address) {
            central.setOwned(false, device.address)
        }
        central.start()
        for command in held.takeAll() {
            central.receive(command.payload, isRetained: false, for: command.address, arrival: command.arrival)
        }
    }

    /// Closes all links. Emits the results of commands that wait, which fail.
    func stop() {
        timer.dispose()
        heldTimer.dispose()
        for command in held.takeAll() { fail(command.id, of: command.address, .stopped) }
        for central in centrals.values { central.stop() }
        centrals = [:]
    }

    /// The number of links over all adapters.
    var linkCount: Int { centrals.values.reduce(0) { $0 + $1.links.count } }

    /// Stores that an adapter heard the device with this identity.
    func heard(_ address: BluetoothAddress, _ peripheral: Peripheral, rssi: Int16?, by adapter: AdapterKey) {
        guard known.contains(address) else { return }
        let now = loop.monotonicTime
        let rssi = rssi ?? -127
        choose(adapter, for: address, rssi: rssi, now: now)
        if choices[address]?.adapter == adapter { centrals[adapter]?.heard(address, peripheral) }
        share { $0.heard(address, rssi: rssi, now: now) }
    }

    /// Whether the configuration describes the device.
    func isDescribed(_ address: BluetoothAddress) -> Bool { known.contains(address) }

    /// Handles a command for a device. Until an adapter is known, it waits.
    func receiveCommand(_ message: ReceivedMessage, for address: BluetoothAddress) {
        let chosen = choices[address].flatMap { centrals[$0.adapter] }
        if let central = chosen ?? centrals.first?.value {
            return central.receive(message.payload, isRetained: message.isRetained, for: address)
        }
        let now = loop.monotonicTime
        let refusal = held.receive(message.payload, isRetained: message.isRetained, for: address, now: now)
        if let refusal { return fail(refusal.id, of: address, refusal.failure) }
        startHeldTimer()
    }

    private func startHeldTimer() {
        guard let deadline = held.deadline else { return }
        let bound = loop.bound(WeakReference(self))
        heldTimer.disposable = loop.schedule(after: max(.zero, deadline - loop.monotonicTime)) {
            bound.value.object?.expireHeld()
        }
    }

    private func expireHeld() {
        for command in held.expire(now: loop.monotonicTime) {
            expiredCommands += 1
            fail(command.id, of: command.address, .noAdapter)
        }
        startHeldTimer()
    }

    private func fail(_ id: String?, of address: BluetoothAddress, _ failure: CommandFailure) {
        let time = loop.scheduler.now
        let result = CommandResult(address, id: id, failure: failure, time: time)
        onEvent?(GATTEvent(address: address, time: time, content: .result(result)))
    }

    /// Handles a message of another gateway. Messages of other topics are ignored.
    func receive(_ message: ReceivedMessage) {
        let now = loop.monotonicTime
        share { $0.receive(message, now: now) }
    }

    /// The connection to the broker was made or has ended.
    func brokerChanged(isConnected: Bool) {
        let now = loop.monotonicTime
        share { isConnected ? $0.connected(now: now) : $0.disconnected(now: now) }
    }

    private func isOwned(_ address: BluetoothAddress) -> Bool { sharing?.isOwned(address) ?? true }

    private func choose(_ adapter: AdapterKey, for address: BluetoothAddress, rssi: Int16, now: Duration) {
        guard let choice = choices[address], choice.adapter != adapter else {
            let isNew = choices[address] == nil
            choices[address] = AdapterChoice(adapter: adapter, rssi: rssi, lastHeard: now)
            if isNew { centrals[adapter]?.setOwned(isOwned(address), address) }
            return
        }
        let old = centrals[choice.adapter]
        // A link stays where it is, because the peripheral does not advertise to its own central.
        guard old == nil || old?.state(of: address) == .disconnected else { return }
        guard now - choice.lastHeard > Self.longestSilence || rssi >= choice.rssi + Self.hysteresis || old == nil else {
            return
        }
        old?.setOwned(false, address)
        choices[address] = AdapterChoice(adapter: adapter, rssi: rssi, lastHeard: now)
        centrals[adapter]?.setOwned(isOwned(address), address)
    }

    private func setLinked(_ isLinked: Bool, _ address: BluetoothAddress, _ adapter: AdapterKey) {
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
            setLinked(false, event.address, adapter)
            share { $0.link(event.address, isUp: false, now: now) }
        case .value: onValue?(adapter)
        case .failure(let failure) where failure.characteristic == nil:
            let failures = centrals[adapter]?.failures(of: event.address) ?? 0
            if failures >= Self.failuresBeforeOthers { share { $0.connectFailed(event.address, now: now) } }
        default: break
        }
        onEvent?(event)
    }

    /// Passes an event to the sharing, and executes its actions.
    private func share(_ event: (inout DeviceSharing) -> [DeviceSharing.Action]) {
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

extension CommandFailure {
    fileprivate static let noAdapter = CommandFailure(
        kind: "no-adapter", text: "No Bluetooth adapter was found before the deadline; check the adapter and bluetoothd"
    )
    fileprivate static let stopped = CommandFailure(
        kind: "gateway-stopped", text: "The gateway stopped before an adapter was found; send it again")
}
