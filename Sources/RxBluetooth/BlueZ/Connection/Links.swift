import DBus

/// A request for a link.
struct LinkRequest: Sendable {
    /// The number of the connection that the link continues; nil for a new connection.
    var number: UInt64?
    var existing = ConnectOptions.ExistingLink.share
    /// Whether the link stays open when its connection ends.
    var keepsOpen = false
    /// Whether the link becomes ready only when its services are read.
    var awaitsServices = false
    /// The kind of the address, if the link may be made to a device that bluetoothd does not have.
    var addressKind: BluetoothAddress.Kind?
}

/// The links of a manager, at most one for each device.
final class Links {
    private unowned let client: BlueZClient
    private var byDevice: [DeviceKey: Link] = [:]
    private let orphans = OrphanedLinks()

    init(_ client: BlueZClient) { self.client = client }

    subscript(key: DeviceKey) -> Link? { byDevice[key] }

    var all: [Link] { Array(byDevice.values) }

    var isEmpty: Bool { byDevice.isEmpty }

    func add(_ link: Link) {
        byDevice[link.key] = link
        client.deviceSignals.update()
    }

    func remove(_ link: Link) {
        byDevice[link.key] = nil
        client.deviceSignals.update()
    }

    // MARK: Connecting

    func connect(
        _ peripheral: Peripheral, _ request: LinkRequest, _ emitter: Emitter<Peripheral>
    ) throws(BluetoothError) {
        let key = peripheral.key
        // A reconnecting connection also owns the peripheral while it waits for its link (S32).
        if let reconnector = peripheral.reconnector, reconnector.number != request.number {
            throw BluetoothError(.alreadyConnected)
        }
        if let link = byDevice[key] {
            guard link.state.isEnding || link.isForPairing else { throw BluetoothError(.alreadyConnected) }
            // A link that is being closed, is lost, or was made for a pairing must end first (S31, S32).
            return connect(peripheral, request, emitter, after: link)
        }
        if let obstacle = client.obstacle(on: key.adapter) { throw obstacle }
        let isDelayed = client.staleOperations.delay(key) { [weak self] in
            emitter.attempt(.connect, key.address.description) { () throws(BluetoothError) in
                try self?.connectNow(peripheral, request, emitter)
            }
        }
        if !isDelayed { try connectNow(peripheral, request, emitter) }
    }

    /// Makes a link to a device without a link of this manager, and without a repair in progress.
    private func connectNow(
        _ peripheral: Peripheral, _ request: LinkRequest, _ emitter: Emitter<Peripheral>
    ) throws(BluetoothError) {
        let key = peripheral.key
        // Another connection may have begun during the repair.
        if byDevice[key] != nil { return try connect(peripheral, request, emitter) }
        if let obstacle = client.obstacle(on: key.adapter) { throw obstacle }
        guard let device = client.mirror.devices[key] else {
            let (target, takesOver) = (key.address.description, request.existing == .takeOver)
            return start(
                peripheral, request, emitter,
                request.addressKind == nil
                    ? LinkState(finding: target, takesOver: takesOver, awaitsServices: request.awaitsServices)
                    : LinkState(reaching: target, takesOver: takesOver, awaitsServices: request.awaitsServices))
        }
        if let wanted = request.addressKind, let kind = device.addressKind, wanted != kind {
            throw BluetoothError(
                .invalidArgument, detail: "bluetoothd has a device with this address, and it is a \(kind) address")
        }
        if device.isConnected, request.existing == .replace, let link = adopt(peripheral) {
            connect(peripheral, request, emitter, after: link, isReplacing: true)
            return link.close(BluetoothError(.disconnected(.requested)), isForced: true)
        }
        let isOthers = isMadeByOtherProgram(device, takesOver: request.existing == .takeOver)
        let state = LinkState(
            maker: isOthers ? .otherProgram : .thisManager, takesOver: request.existing == .takeOver,
            awaitsServices: request.awaitsServices, target: key.address.description)
        start(peripheral, request, emitter, state)
    }

    private func start(
        _ peripheral: Peripheral, _ request: LinkRequest, _ emitter: Emitter<Peripheral>, _ state: LinkState
    ) {
        var state = state
        state.keepsOpen = request.keepsOpen
        let link = Link(
            peripheral, state, number: request.number ?? client.peripherals.nextLinkNumber(), client: client,
            emitter: emitter, addressKind: request.addressKind)
        add(link)
        // The agent is registered first, because bluetoothd may request a pairing as soon as there is a link.
        client.agent.register()
        link.start()
    }

    private func connect(
        _ peripheral: Peripheral, _ request: LinkRequest, _ emitter: Emitter<Peripheral>, after link: Link,
        isReplacing: Bool = false
    ) {
        let target = peripheral.address.description
        link.onClosed { [weak self] failure in
            emitter.attempt(.connect, target) { () throws(BluetoothError) in
                var request = request
                if isReplacing {
                    if let failure { throw failure }
                    // A link is replaced only once. Otherwise another program that reconnects at once would cause an
                    // endless loop.
                    request.existing = .share
                }
                try self?.connect(peripheral, request, emitter)
            }
        }
    }

    /// Makes a link for a pairing.
    func connectForPairing(_ peripheral: Peripheral) -> Link {
        let target = peripheral.address.description
        let state =
            if let device = client.mirror.devices[peripheral.key] {
                LinkState(
                    maker: isMadeByOtherProgram(device, takesOver: false) ? .otherProgram : .thisManager,
                    takesOver: false, awaitsServices: false, target: target)
            } else {
                LinkState(finding: target, takesOver: false, awaitsServices: false)
            }
        let link = Link(
            peripheral, state, number: client.peripherals.nextLinkNumber(), client: client, emitter: Emitter { _ in },
            isForPairing: true)
        add(link)
        return link
    }

    /// Returns whether another program made a device's link. Consumes the entry of an orphaned link.
    private func isMadeByOtherProgram(_ device: DeviceRecord, takesOver: Bool) -> Bool {
        let isOrphan = orphans.take(device.key, since: client.restartedAt.map(client.settings.elapsed(since:)))
        return device.isConnected && !takesOver && !isOrphan
    }

    // MARK: Closing

    /// Closes the link of a peripheral, whichever program made it.
    func disconnect(_ peripheral: Peripheral, _ emitter: Emitter<Never>) {
        guard let link = linkToClose(peripheral) else { return emitter.complete() }
        link.onClosed { failure in
            if let failure { emitter.fail(failure) } else { emitter.complete() }
        }
        link.close(BluetoothError(.disconnected(.requested)), isForced: true)
    }

    /// Runs work when no link to a device is being closed, and the device is not being repaired.
    func onNotClosing(_ key: DeviceKey, _ work: @escaping () -> Void) {
        if let link = byDevice[key], link.state.isEnding { return link.onClosed { _ in work() } }
        if !client.staleOperations.delay(key, work) { work() }
    }

    /// Runs work when no link is being closed that has unanswered operations, which bluetoothd may have lost (Q126).
    ///
    /// May run the work more than once.
    func afterUnansweredOperations(_ work: @escaping () -> Void) {
        let waiting = all.first { $0.state.isEnding && !$0.queue.unanswered.isEmpty }
        guard let waiting, KnownProblem.mayAffect(client.version, .operationLostWithPairing) else { return work() }
        let next = { [weak self] in
            if let self { afterUnansweredOperations(work) } else { work() }
        }
        waiting.queue.unanswered.whenEmpty(next)
        waiting.onClosed { _ in next() }
    }

    /// Returns the link of a peripheral, whichever program made it; nil if there is none.
    func linkToClose(_ peripheral: Peripheral) -> Link? { byDevice[peripheral.key] ?? adopt(peripheral) }

    /// Adopts a link of another program, to close it; nil if there is none.
    private func adopt(_ peripheral: Peripheral) -> Link? {
        guard client.mirror.devices[peripheral.key]?.isConnected == true else { return nil }
        let link = Link(
            peripheral, LinkState(adopting: peripheral.address.description),
            number: client.peripherals.nextLinkNumber(), client: client, emitter: Emitter { _ in })
        add(link)
        return link
    }

    /// Closes all links, because the manager is closed.
    func close(_ error: BluetoothError) {
        for link in all { link.close(error) }
    }

    /// Ends the links over an adapter that is off or gone.
    func lost(on adapter: UInt16) {
        for link in all where link.key.adapter == adapter { link.lost(BluetoothError(.disconnected(.adapter))) }
    }

    /// Ends all links, because bluetoothd or the bus is gone.
    func lost(_ reason: BluetoothError.DisconnectReason) {
        if reason == .daemon { orphans.left(by: byDevice.values) }
        for link in all { link.lost(BluetoothError(.disconnected(reason))) }
    }

    /// Forgets the orphaned links that the snapshot of the next bluetoothd does not contain.
    func snapshotArrived() {
        orphans.keep { [mirror = client.mirror] in mirror.devices[$0]?.isConnected == true }
    }

    /// Records that bluetoothd shows a device as disconnected.
    func recordDisconnected(_ key: DeviceKey) { orphans.closed(key) }

    // MARK: Live links

    /// Returns the live link of a peripheral. Throws if there is none.
    func live(_ key: DeviceKey) throws(BluetoothError) -> Link {
        guard let link = byDevice[key], link.isConnected else {
            throw client.obstacle(on: key.adapter) ?? BluetoothError(.notConnected)
        }
        return link
    }

    /// Returns the live link if it has a given number. Throws if it has another number.
    ///
    /// Attributes that were discovered over an earlier link are not valid any more (S53).
    func live(_ key: DeviceKey, number: UInt64) throws(BluetoothError) -> Link {
        let link = try live(key)
        guard link.number == number else { throw Self.outdated }
        // A reconnected link can be used only when its services have been read.
        guard link.state.isReady else { throw BluetoothError(.notConnected) }
        return link
    }

    private static let outdated = BluetoothError(
        .attributeNotFound, detail: "It was discovered in an earlier connection; discover it again")
}

/// The links that this manager had when bluetoothd was killed.
///
/// The kernel keeps these links for about two seconds, and the next bluetoothd shows them (Q2). If this manager
/// connects over such a link, it has its own link again and may close it. It may not close another program's link
/// (Q74).
private final class OrphanedLinks {
    private var keys: Set<DeviceKey> = []

    /// How long after the return of bluetoothd a link may be an orphaned one. Later links are new.
    static let lifetime = Duration.seconds(5)

    /// Records the links that existed when bluetoothd ended.
    func left(by links: some Sequence<Link>) {
        for link in links where !link.state.isMadeByOtherProgram { keys.insert(link.key) }
    }

    /// Forgets the link of a device that is disconnected.
    func closed(_ key: DeviceKey) { keys.remove(key) }

    /// Keeps the links that the next bluetoothd shows. Later links to other devices are new.
    func keep(where isConnected: (DeviceKey) -> Bool) { keys = keys.filter(isConnected) }

    /// Returns whether we made the present link of a device.
    ///
    /// Consumes the entry, because a later link is not ours.
    func take(_ key: DeviceKey, since returned: Duration?) -> Bool {
        guard keys.remove(key) != nil, let returned else { return false }
        return returned < Self.lifetime
    }
}
