import DBus

/// The notifications of a characteristic during a connection, shared by all subscribers (S69).
final class NotifySession {
    private let characteristic: Characteristic
    private let key: CharacteristicKey
    private let target: String
    private unowned let link: Link
    private let subscribers = ObserverList<NotifySubscriber>()
    private var phase = Phase.off
    /// Whether the values come through a socket, also while the socket is being opened (Q105).
    private var usesSocket = false
    /// Whether a socket was refused or closed while these subscribers were present.
    private var isSocketRefused = false
    private var trial = Trial.due
    /// Whether a refused start was repeated while these subscribers were present (Q135).
    private var isStartRepeated = false
    private var socket: NotifySocket?
    /// Whether the last recorded switch turned the notifications on.
    private var isRecordedOn = false
    /// Whether bluetoothd removed the characteristic, and the reason is not known yet.
    var isRemovalPending = false
    /// The start that has no answer yet; nil if there is none.
    private var starting: GATTOperation?
    /// The number of the last start that was sent; nil if there is none.
    private var sentStart: UInt64?
    /// The exclusive access to which the last start belongs; nil for none.
    private var startAccess: ExclusiveAccess.Token?
    /// Whether the phase is `stopping`, and `StopNotify` is not sent yet.
    private var isStopDelayed = false
    private(set) lazy var echoes = ReadEchoes(on: link.client.bus, link.client.settings) { [weak self] in
        self?.deliver([$0])
    }

    /// The state of the notifications.
    private enum Phase {
        case off, queued, starting, on, stopping, ended
    }

    /// The state of the trial that precedes the first socket: `StartNotify`, then `StopNotify` (Q132).
    ///
    /// While it is ending, `StopNotify` has no reply. No trial is necessary after any start that has succeeded.
    private enum Trial {
        case due, running, ending, unnecessary
    }

    init(_ characteristic: Characteristic, link: Link) {
        self.characteristic = characteristic
        key = characteristic.key
        target = characteristic.target
        self.link = link
    }

    // MARK: Subscribers

    /// Whether any subscriber accepts only a socket.
    private var requiresSocket: Bool { subscribers.all.contains { $0.transport == .socket } }

    /// Whether the next start should open a socket for the present subscribers.
    private var prefersSocket: Bool {
        if requiresSocket { return true }
        guard !isSocketRefused, subscribers.all.allSatisfy({ $0.transport == .automatic }) else { return false }
        let record = link.client.mirror.record(key)
        return record?.hasNotifySocket == true && record?.properties.contains(.notify) == true
    }

    /// Returns whether another subscriber can use a transport.
    ///
    /// Only a subscriber that requires a socket can be refused: if the session uses signals or is changing to signals.
    func accepts(_ transport: NotificationTransport) -> Bool {
        guard transport == .socket, !subscribers.isEmpty else { return true }
        switch phase {
        case .off, .stopping: return prefersSocket
        case .queued, .starting: return requiresSocket || usesSocket
        case .on: return requiresSocket || usesSocket && starting == nil
        case .ended: return true
        }
    }

    func add(_ subscriber: NotifySubscriber) {
        if subscribers.isEmpty { (isSocketRefused, isStartRepeated) = (false, false) }
        subscribers.add(subscriber) { [weak self] in self?.subscriberRemoved() }
        switch phase {
        case .off: restart()
        case .queued where usesSocket && !prefersSocket || isUrgent(subscriber.request):
            cancelStart()
            phase = .off
            restart()
        case .on: changeToSignals()
        // A stop that waits for the end of this exclusive access is sent now, because the start follows it.
        case .stopping where link.queue.isInProgress(subscriber.request.access): sendDelayedStop()
        // The answer of a start is compared with the subscribers. After a stop, the subscribers get a start.
        case .queued, .starting, .stopping, .ended: break
        }
    }

    private func subscriberRemoved() {
        guard subscribers.isEmpty else { return }
        switch phase {
        case .on: stop()
        case .queued:
            cancelStart()
            phase = .off
        // A start that was sent cannot be undone. When it is answered, the notifications are turned off.
        case .off, .starting, .stopping, .ended: break
        }
    }

    // MARK: Starting

    /// Returns whether a queued start has to be queued again, because a new subscriber needs it earlier.
    private func isUrgent(_ request: QueueRequest) -> Bool {
        guard let starting else { return false }
        return request.access != nil && starting.access == nil || request.options.priority > starting.priority
    }

    /// The request of the subscriber that needs the start first: in an exclusive access, or with the highest priority.
    ///
    /// If several subscribers are equal, the first one counts.
    private var firstRequest: QueueRequest {
        let requests = subscribers.all.map(\.request)
        let highest = requests.map(\.options.priority).max()
        return requests.first { link.queue.isInProgress($0.access) }
            ?? requests.first { $0.options.priority == highest } ?? QueueRequest()
    }

    private func restart() {
        guard phase == .off, !subscribers.isEmpty else { return }
        usesSocket = prefersSocket
        if trial == .running { trial = .due }
        if trial == .due, usesSocket, mayFailedSocketCrash { trial = .running }
        phase = .queued
        submit(usesSocket && trial != .running ? .acquireNotify(key) : .startNotify(key))
    }

    /// Whether bluetoothd may crash after an `AcquireNotify` that the peripheral refuses (Q132).
    ///
    /// It crashes at the next `StopNotify`, and when it removes the device. A failed `StartNotify` is harmless, so it
    /// first shows whether the peripheral turns the notifications on.
    private var mayFailedSocketCrash: Bool { KnownProblem.mayAffect(link.client.version, .socketStartCrash) }

    /// Queues a start, which the queue may send at once.
    private func submit(_ call: BlueZCall, isFollowing: Bool = false) {
        guard let message = try? call.message() else { return }
        let target = target
        var request = firstRequest
        if !link.queue.isInProgress(request.access) { request.access = nil }
        let item = GATTOperation(
            .notify, target, message, request, deadline: link.deadlines.operation,
            failure: { BluetoothError($0, operation: .notify, target: target) }
        ) { [weak self] in self?.answered($0) }
        // Values are accepted as soon as the start is sent, because they may precede its reply (Q102). Earlier values
        // are echoes of reads.
        item.started = { [weak self, weak item] in
            guard let self else { return }
            if phase == .on { releaseSocket() }
            phase = .starting
            sentStart = item?.number
        }
        // A start that failed because a pairing was refused may succeed later. The notifications are then turned off.
        item.ended = { [weak self] result in
            if let self, phase != .starting, (try? result.get()) != nil { sendStop() }
        }
        item.isShared = true
        item.obstacle = { [weak self] in self?.isRemovalPending == true ? AttributeTree.gone : nil }
        starting = item
        startAccess = request.access
        link.queue.submit(item, isFollowing: isFollowing)
    }

    private func cancelStart() {
        if let starting { link.queue.cancel(starting) }
        starting = nil
    }

    private func answered(_ result: Result<Message, BluetoothError>) {
        starting = nil
        // A result after the end of the link is ignored, because `ended` reports the cause. In phase `on`, a change to
        // signals was not sent, so the socket stays.
        guard phase == .starting || phase == .queued, link.isConnected else { return }
        switch result {
        case .success(let reply):
            phase = .on
            let isTrial = trial == .running
            if trial != .ending { trial = .unnecessary }
            if isTrial {
                if prefersSocket, !subscribers.isEmpty { return openAfterTrial() }
                usesSocket = false
            }
            recordSwitch(true)
            // The notifications are turned off if no subscriber of this start is left.
            if subscribers.isEmpty || !usesSocket && requiresSocket { return stop() }
            if usesSocket { open(reply) }
            changeToSignals()
        case .failure(let error) where error.isOfStaleNotifySession && !isStartRepeated && mayStopFailedStart:
            // `StopNotify` ends the session of which only bluetoothd knows. Then the start is sent again.
            isStartRepeated = true
            stop()
        case .failure(let error):
            // A start that timed out may take effect later, so the notifications are turned off (Q8).
            if error.kind == .timedOut, mayStopFailedStart { stop() } else { phase = .off }
            if trial == .running {
                fail(error) { _ in true }
            } else if !usesSocket {
                // Subscribers that require a socket came during this start, and need a start of their own.
                fail(error) { $0.transport != .socket }
            } else if error.refusesSocket {
                refuseSocket(error)
            } else {
                fail(error) { _ in true }
            }
            restart()
        }
    }

    /// Ends a trial, and requests the socket before any other operation runs.
    ///
    /// bluetoothd handles the two calls one after the other.
    private func openAfterTrial() {
        trial = .ending
        sendStop { [weak self] in self?.trial = .unnecessary }
        phase = .queued
        submit(.acquireNotify(key), isFollowing: true)
    }

    /// Opens the socket in a reply of `AcquireNotify`.
    private func open(_ reply: Message) {
        do throws(DBusError) {
            let socket = try NotifySocket(reply, on: link.client.bus)
            self.socket = socket
            socket.start { [weak self] in
                self?.deliver($0)
            } ended: { [weak self] in
                self?.socketEnded()
            }
        } catch {
            stop()
            refuseSocket(BluetoothError(.protocolViolation, dbusName: error.name, dbusMessage: error.message))
        }
    }

    // MARK: Changing to signals

    /// Fails the subscribers that require a socket. The others get signals at the next start.
    private func refuseSocket(_ error: BluetoothError) {
        isSocketRefused = true
        fail(error) { $0.transport == .socket }
    }

    /// Changes an open socket to signals if a subscriber requested signals, and no subscriber requires the socket.
    ///
    /// The socket delivers until `StartNotify` is sent, so that the operations before it in the queue cause no gap.
    private func changeToSignals() {
        guard phase == .on, socket != nil, starting == nil, !requiresSocket,
            subscribers.all.contains(where: { $0.transport == .signals })
        else { return }
        submit(.startNotify(key))
    }

    /// Closes the socket. `StartNotify` is sent directly afterwards.
    ///
    /// bluetoothd handles the two calls one after the other. It turns the peripheral's notifications off and on again,
    /// and delivers what the peripheral still sends meanwhile.
    private func releaseSocket() {
        usesSocket = false
        guard let socket else { return }
        sendStop { [weak self] in
            // The values in the socket precede this reply, and the values of signals follow it.
            socket.drain()
            socket.close()
            if let self, self.socket === socket { self.socket = nil }
        }
    }

    /// Handles the end of the socket: the link is lost, or another program turned notifications off.
    ///
    /// `Connected` is read to distinguish the two: the reason of a lost link arrives before the reply (Q107). It also
    /// arrives after the removal of the characteristic.
    private func socketEnded() {
        socket = nil
        guard usesSocket else { return }
        link.client.readFlag("Connected", of: BlueZ.device, at: key.device.path) { [weak self] _ in
            guard let self, phase == .on, usesSocket, socket == nil, link.isConnected, !isRemovalPending else { return }
            cancelStart()
            phase = .off
            let detail = "bluetoothd closed the socket, possibly because another program turned the notifications off"
            refuseSocket(BluetoothError(.exclusiveUse, detail: detail))
            restart()
        }
    }

    // MARK: Stopping

    private func stop() {
        recordSwitch(false)
        cancelStart()
        phase = .stopping
        socket?.close()
        socket = nil
        isStopDelayed = true
        let teardowns = link.client.teardowns
        teardowns.begin()
        // Turning notifications off accesses the peripheral, so it waits for the end of another exclusive access.
        link.queue.performOutsideAccess(of: startAccess) { [weak self] in
            self?.sendDelayedStop()
            teardowns.end()
        }
    }

    private func sendDelayedStop() {
        guard phase == .stopping, isStopDelayed else { return }
        isStopDelayed = false
        sendStop { [weak self] in
            guard let self, phase == .stopping else { return }
            phase = .off
            restart()
        }
    }

    /// Turns the notifications off without the queue, which drops its calls if the link is lost.
    ///
    /// bluetoothd answers at once. With any reply, the notifications are off for this program (Q104).
    private func sendStop(_ done: @escaping () -> Void = {}) {
        let (teardowns, unanswered, start) = (link.client.teardowns, link.queue.unanswered, sentStart)
        teardowns.begin()
        link.client.call(.stopNotify(key), deadline: link.deadlines.cleanup) { result in
            // bluetoothd never answers a start that `StopNotify` has cancelled.
            if case .success = result, let start { unanswered.remove(start) }
            done()
            teardowns.end()
        }
    }

    // MARK: Values and the end

    /// Handles a value from a signal.
    func received(_ value: [UInt8]) {
        // Some peripherals send a value only when notifications are first turned on, so a trial delivers it.
        let isOfTrial = trial == .running || trial == .ending
        guard !usesSocket || isOfTrial, !requiresSocket else { return }
        guard phase == .on || phase == .starting || phase == .queued && trial == .ending else { return }
        echoes.received(value)
    }

    private func recordSwitch(_ isOn: Bool) {
        guard isRecordedOn != isOn else { return }
        isRecordedOn = isOn
        link.client.settings.exchanges.record(.notificationsSwitched(characteristic, isOn: isOn))
    }

    private func deliver(_ values: [[UInt8]]) {
        for value in values {
            link.client.settings.exchanges.record(.notified(characteristic, value))
            for subscriber in subscribers.all { subscriber.emitter.next(value) }
        }
    }

    /// Ends the session, because the connection has ended or the characteristic is gone.
    ///
    /// bluetoothd would turn notifications on again after the next connection (Q103). So this function turns them off
    /// if bluetoothd still has the characteristic.
    func ended(_ cause: BluetoothError) {
        guard phase != .ended else { return }
        // A change to signals is queued in phase `on`.
        if phase == .queued || phase == .on { cancelStart() }
        // bluetoothd does not answer a start that waits for a pairing, but `StopNotify` cancels it (Q126).
        let isStarting = sentStart.map(link.queue.unanswered.contains) == true
        let isStopDue = phase == .on || phase == .stopping && isStopDelayed
        let wasOn = isStopDue || (phase == .starting || isStarting) && mayStopFailedStart || isStarting && isStartLost
        // The socket is drained first, because the end arrives over the bus: earlier values may still be in the socket.
        socket?.drain()
        socket?.close()
        phase = .ended
        recordSwitch(false)
        if wasOn, link.client.owner != nil, link.client.mirror.record(key) != nil { sendStop() }
        fail(cause) { _ in true }
    }

    /// Whether bluetoothd has lost the start of a socket, which waited for a pairing. Then `StopNotify` is safe.
    private var isStartLost: Bool {
        guard link.queue.unanswered.needsPairing, let version = link.client.version else { return false }
        return KnownProblem.mayAffect(version, .operationLostWithPairing)
    }

    /// Whether `StopNotify` may follow a start that has failed, or has no answer.
    ///
    /// After a socket was refused, `StopNotify` crashes some versions (Q132). It is not necessary: if the socket opens
    /// later, it is closed, because nothing takes it.
    private var mayStopFailedStart: Bool { !usesSocket || trial == .running || !mayFailedSocketCrash }

    private func fail(_ error: BluetoothError, _ isMeant: (NotifySubscriber) -> Bool) {
        let error = error.during(.notify, target)
        let failing = subscribers.all.filter(isMeant)
        // All are removed first, because the end of a stream may add another subscriber.
        for subscriber in failing { subscribers.remove(subscriber) }
        for subscriber in failing { subscriber.fail(error) }
    }
}
