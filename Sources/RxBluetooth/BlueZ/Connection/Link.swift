import DBus
import Rx

/// A connection to a peripheral, from the call of `Connect` until it is closed, and all its users.
///
/// ``LinkState`` decides what to do; this class makes the calls and runs the timers.
final class Link {
    let key: DeviceKey
    /// A number that distinguishes this connection from other connections of the same device.
    let number: UInt64
    unowned let client: BlueZClient
    let peripheral: Peripheral
    let emitter: Emitter<Peripheral>
    private(set) var state: LinkState
    /// When the current phase of `state` began.
    private(set) var since: MonotonicTime?
    /// When the link came up; nil before.
    private(set) var openedAt: MonotonicTime?
    /// Whether the link was made for a pairing only. A new connection waits until this link has ended.
    let isForPairing: Bool
    /// The requested kind of the address; nil if bluetoothd had the device before.
    let addressKind: BluetoothAddress.Kind?
    /// The pairing that uses this link.
    var pairing: PairingAttempt?
    /// The reason that bluetoothd has announced for the end of the link.
    private var announcedReason: BluetoothError.DisconnectReason?
    /// Whether bluetoothd has removed the device while the cause of the loss was not known yet.
    private(set) var isRemovedAfterLoss = false
    /// Whether bluetoothd has answered a call that was sent after the loss of the link and its delay.
    private(set) var isAnsweredAfterLoss = false

    /// The reply or the pause that an attempt waits for.
    var attempt: BusTask?
    /// The `Connect` that was sent before the device was removed.
    private var earlierConnect: BusTask?
    /// How many calls of `Connect` were sent before the device was removed.
    var earlierConnectCount = 0
    /// The deadline of connecting, or of finding the cause of a link loss.
    private var deadline: BusTask?
    /// The reply or the deadline that closing or a link loss waits for.
    private var ending: BusTask?
    /// The scan for the device after bluetoothd has removed it (Q123).
    private var rediscovery: (any Disposable)?
    private var onClosed: [(BluetoothError?) -> Void] = []

    private(set) lazy var queue = GATTOperationQueue(client, of: peripheral)
    private(set) lazy var serviceDiscovery = ServiceDiscovery(self)
    private(set) lazy var mtu = LinkMTU(self)
    private(set) lazy var name = LinkName(self)
    private(set) lazy var modifications = ServiceModifications(self)
    private(set) lazy var battery = BatteryLevel(self)
    private(set) lazy var rssiRequests = RSSIRequests(self)
    let streams = LinkStreams()
    var notifications: [CharacteristicKey: NotifySession] = [:]

    init(
        _ peripheral: Peripheral, _ state: LinkState, number: UInt64, client: BlueZClient,
        emitter: Emitter<Peripheral>, isForPairing: Bool = false, addressKind: BluetoothAddress.Kind? = nil
    ) {
        self.peripheral = peripheral
        self.key = peripheral.key
        self.state = state
        self.number = number
        self.client = client
        self.emitter = emitter
        self.isForPairing = isForPairing
        self.addressKind = addressKind
    }

    var isConnected: Bool { state.isConnected }
    var deadlines: Deadlines { client.settings.deadlines }
    var target: String { key.address.description }

    // MARK: Events

    func start() {
        since = client.settings.now
        emitter.onEnd { [weak self] in self?.close(BluetoothError(.disconnected(.requested))) }
        peripheral.enter(.connecting)
        handle(.start)
    }

    /// Closes the link; see ``LinkState/Event/close(_:isForced:)``.
    func close(_ cause: BluetoothError, isForced: Bool = false) { handle(.close(cause, isForced: isForced)) }

    /// Ends the link, because the adapter, bluetoothd or the bus is gone.
    func lost(_ cause: BluetoothError) { handle(.lost(cause)) }

    /// Handles a change of the device's property `Connected`.
    func connectedChanged(_ isConnected: Bool) { handle(.shown(isConnected: isConnected)) }

    /// Handles the removal of the device by bluetoothd.
    ///
    /// bluetoothd disconnects a connected device first, and removes it after the end of the link.
    func deviceRemoved() {
        if state.step == .losing { isRemovedAfterLoss = true }
        handle(.deviceRemoved)
    }

    /// Handles a device that bluetoothd shows again, or for the first time.
    ///
    /// A device with the same address of another kind is another device.
    func deviceFound() {
        if isShown { handle(.deviceFound) }
    }

    /// Whether bluetoothd has the device.
    private var isShown: Bool {
        guard let device = client.mirror.devices[key] else { return false }
        return addressKind == nil || device.addressKind == nil || device.addressKind == addressKind
    }

    /// Handles a change of `ServicesResolved`: bluetoothd has read the services of the device, or reads them again.
    func resolvedChanged(_ isResolved: Bool) {
        guard isConnected else { return }
        if isResolved { mtu.read() }
        serviceDiscovery.resolvedChanged(isResolved)
        if isResolved, state.isReady { adoptDatabaseHash() }
    }

    /// Records the reason for the end of the link, which bluetoothd announces before the end (Q86).
    ///
    /// If the text is not in the list, the reason is unknown.
    /// Source: BlueZ 5.83, `org.bluez.Device.rst`, `Disconnected`.
    func announce(_ reason: String) {
        announcedReason =
            switch reason {
            case "org.bluez.Reason.Timeout": .timeout
            case "org.bluez.Reason.Local": .local
            case "org.bluez.Reason.Remote": .remote
            case "org.bluez.Reason.Authentication": .authentication
            case "org.bluez.Reason.Suspend": .suspend
            default: nil
            }
    }

    /// Runs work when this link is closed, with the error if closing has failed.
    func onClosed(_ work: @escaping (BluetoothError?) -> Void) { onClosed.append(work) }

    // MARK: The state machine

    func handle(_ event: LinkState.Event) {
        let step = state.step
        let actions = state.handle(event, facts)
        if state.step != step { since = client.settings.now }
        for action in actions { execute(action) }
    }

    private var facts: LinkState.Facts {
        let device = client.mirror.devices[key]
        let adapter = client.mirror.adapters[key.adapter]
        return LinkState.Facts(
            isConnected: device?.isConnected == true, isShown: isShown, isBonded: device?.isBonded == true,
            mayKeepPairing: device?.hasLostLink == true && KnownProblem.mayAffect(client.version, .pairingKept),
            wasAborted: device?.wasAborted == true,
            isAdapterOn: adapter.map { $0.isPowered && $0.powerState != "on-disabling" } ?? false,
            announcedReason: announcedReason, isLossDelayed: deadlines.disconnectReasonGrace > .zero)
    }

    private func execute(_ action: LinkState.Action) {
        switch action {
        case .startDeadline:
            deadline = client.bus.schedule(after: deadlines.connect) { [weak self] in self?.handle(.connectDeadline) }
        case .cancelDeadline: deadline?.cancel()
        case .connect:
            // An earlier attempt may have left a reason.
            announcedReason = nil
            connect()
        case .connectDevice: connectDevice()
        case .confirmLink: confirmLink()
        case .readOtherAttemptResult: readOtherAttemptResult()
        case .cancelKeptPairing: cancelKeptPairing()
        case .pause(let duration):
            attempt = client.bus.schedule(after: duration) { [weak self] in self?.handle(.pauseEnded) }
        case .cancelAttempt:
            attempt?.cancel()
            attempt = nil
        case .keepConnect:
            earlierConnect?.cancel()
            earlierConnect = attempt
            attempt = nil
            earlierConnectCount += 1
        case .startRediscovery: startRediscovery()
        case .stopRediscovery: stopRediscovery()
        case .recordAbort: client.mirror.recordAbort(of: key)
        case .logRepeat(let aborts):
            client.eventLog.debug(.connectRepeated(peripheral, aborts: aborts, again: LinkState.pause))
        case .open: open()
        case .becomeReady: becomeReady()
        case .beginClosing(let cause):
            peripheral.enter(.disconnecting)
            client.teardowns.begin()
            fail(cause)
        case .disconnect: disconnect()
        case .failSubscriber(let cause): emitter.fail(cause.during(.connect, target))
        case .startDisconnectDeadline:
            ending = client.bus.schedule(after: deadlines.disconnect) { [weak self] in
                self?.handle(.disconnectDeadline)
            }
        case .cancelDisconnect: ending?.cancel()
        case .finishClosing(let cause, let failure): finishClosing(cause, failure)
        case .suspendOperations: queue.suspend()
        case .delayLoss:
            ending = client.bus.schedule(after: deadlines.disconnectReasonGrace) { [weak self] in
                self?.handle(.lossDelayEnded)
            }
        case .readAdapterPower: readAdapterPower()
        case .endLost(let reason, let isShared): end(loss(reason, isShared: isShared))
        case .end(let cause): end(cause)
        }
    }

    /// Whether the device has separate bearers, of which the link uses LE.
    var usesBearer: Bool { client.mirror.devices[key]?.bearers.areSeparate == true }

    var connectedInterface: String { usesBearer ? BlueZ.bearerLE : BlueZ.device }

    // MARK: Calls

    /// Closes the link.
    ///
    /// While an operation waits for a pairing, `RemoveDevice` closes the link of a device without a bond, because
    /// bluetoothd loses the operation with the link, and its attribute would stay busy (Q126).
    private func disconnect() {
        let isBonded = client.mirror.devices[key]?.isBonded == true
        guard queue.unanswered.needsPairing, !isBonded, let path = ObjectPath(key.path),
            !client.staleOperations.mayRemovalCrash(after: queue.unanswered)
        else { return callDisconnect() }
        let call = BlueZCall.removeDevice(path, on: key.adapter)
        ending = client.call(call, deadline: deadlines.disconnect) { [weak self] result in
            guard let self else { return }
            if result.failure == nil { handle(.removalAnswered) } else { callDisconnect() }
        }
    }

    private func callDisconnect() {
        // Over BR/EDR, another program may use the device, for example as a headset.
        let overLE = usesBearer && client.mirror.devices[key]?.bearers.classic?.isConnected == true
        ending = client.call(.disconnect(key, overLE: overLE), deadline: deadlines.disconnect) { [weak self] result in
            guard let self else { return }
            handle(
                .disconnectAnswered(result.failure.map { BluetoothError($0, operation: .disconnect, target: target) }))
        }
    }

    private func readAdapterPower() {
        ending = client.readFlag(
            "Powered", of: BlueZ.adapter, at: adapterPath(key.adapter), deadline: Self.adapterDeadline
        ) { [weak self] result in
            let isGone =
                switch result {
                case .success(let isPowered): !isPowered
                case .failure(let error):
                    BluetoothError(error, operation: .readState, target: nil).kind == .noAdapter
                }
            guard let self else { return }
            isAnsweredAfterLoss = result.failure == nil
            handle(.adapterAnswered(isGone: isGone))
        }
        // The timer is necessary because the call's own deadline does not run while the call waits behind others (Q9).
        deadline = client.bus.schedule(after: Self.adapterDeadline) { [weak self] in
            self?.handle(.adapterAnswered(isGone: false))
        }
    }

    /// The deadline of reading `Powered`.
    ///
    /// A loss must be reported within a second, even if bluetoothd hangs.
    private static let adapterDeadline = Duration.milliseconds(500)

    private func startRediscovery() {
        guard rediscovery == nil else { return }
        rediscovery = client.access?.scan([], ScanOptions(allowsDuplicates: true), on: peripheral.adapterSelection)
            .subscribe(onError: { _ in })
    }

    private func stopRediscovery() {
        guard let scan = rediscovery else { return }
        rediscovery = nil
        // Disposing queues work in the bus context. The teardown counts until that work has run.
        let teardowns = client.teardowns
        teardowns.begin()
        scan.dispose()
        client.bus.perform { teardowns.end() }
    }

    // MARK: Opening and ending

    private func open() {
        attempt = nil
        openedAt = client.settings.now
        client.mirror.resetAborts(of: key)
        battery.changed()
        if client.mirror.devices[key]?.isResolved == true {
            mtu.read()
            serviceDiscovery.resolvedChanged(true)
        }
        guard state.awaitsServices else { return }
        _ = serviceDiscovery.wait { [weak self] error in
            guard let self else { return }
            if let error { return handle(.servicesAwaited(error)) }
            verifyAttributes { [weak self] in self?.handle(.servicesAwaited($0)) }
        }
    }

    private func becomeReady() {
        peripheral.enter(.connected)
        emitter.next(peripheral)
        pairing?.linkIsUp()
    }

    /// Ends the link. All users of the link fail with one cause (S59).
    private func end(_ cause: BluetoothError) {
        stopWaiting()
        client.links.remove(self)
        fail(cause)
        peripheral.enter(.disconnected(cause.with(nil, target)))
        emitter.fail(cause.during(.connect, target))
        client.staleOperations.linkEnded(key, queue.unanswered) { [self] in reportClosed(nil) }
    }

    private func finishClosing(_ cause: BluetoothError, _ failure: BluetoothError?) {
        stopWaiting()
        client.links.remove(self)
        peripheral.enter(.disconnected(cause.with(nil, target)))
        if let failure { client.eventLog.info(.linkNotClosed(peripheral, failure)) }
        client.staleOperations.linkEnded(key, queue.unanswered) { [self] in reportClosed(failure) }
        client.teardowns.end()
    }

    private func stopWaiting() {
        earlierConnect?.cancel()
        attempt?.cancel()
        attempt = nil
        deadline?.cancel()
        ending?.cancel()
        stopRediscovery()
    }

    private func fail(_ cause: BluetoothError) {
        // The cause has no operation or target, because each user of the link adds its own.
        let cause = cause.with(nil, nil)
        mtu.forget()
        serviceDiscovery.fail(cause)
        queue.fail(cause)
        rssiRequests.fail(cause)
        pairing?.linkEnded(cause)
        pairing = nil
        for session in Array(notifications.values) { session.ended(cause) }
        notifications = [:]
        streams.fail(cause)
    }

    private func reportClosed(_ failure: BluetoothError?) {
        let work = onClosed
        onClosed = []
        for action in work { action(failure) }
    }
}

// MARK: - Characteristics that bluetoothd removes while the link is up

extension Link {
    /// Ends the notifications of a characteristic that bluetoothd has removed, if the link stays up.
    ///
    /// bluetoothd also removes the characteristics of a lost device, before it reports the loss. So `Connected` is read
    /// first: the reply arrives after that report.
    func removed(_ key: CharacteristicKey) {
        guard let session = notifications[key] else { return }
        session.isRemovalPending = true
        client.readFlag("Connected", of: BlueZ.device, at: self.key.path) { [weak self] _ in
            guard let self, isConnected, notifications[key] === session else { return }
            remove(session, key)
        }
    }

    /// Ends the notifications of a removed characteristic.
    func remove(_ session: NotifySession, _ key: CharacteristicKey) {
        notifications[key] = nil
        session.ended(AttributeTree.gone)
    }
}
