import DBus
import Rx

/// Making a link: calling `Connect` until it succeeds, the deadline passes, or nothing more can be done.
extension Link {
    /// Whether bluetoothd shows the device as connected.
    var isShownConnected: Bool { client.devices[key]?.isConnected == true }

    /// Whether an attempt of ours may be under way at bluetoothd.
    var mayBeConnecting: Bool { step == .calling || step == .confirming }

    func connect() {
        wasSeenConnected = false
        step = .calling
        // It outlasts our deadlines, so that a success after our `Disconnect` is noticed.
        connecting = client.call(
            path: key.path, interface: BlueZ.device, member: "Connect",
            deadline: deadlines.connect + deadlines.disconnect + deadlines.disconnect
        ) { [weak self] in self?.answered($0) }
    }

    func expired() {
        guard phase == .connecting else { return }
        let text: String? =
            switch step {
            case .yielding: "Another program's attempt to connect is still under way"
            case .rediscovering: "An attempt failed, and bluetoothd removed the device"
            case .none, .calling, .confirming, .pausing: nil
            }
        close(BluetoothError(.timedOut, operation: .connect, target: target, dbusMessage: text))
    }

    private func answered(_ result: Result<Message, DBusError>) {
        connecting = nil
        guard phase == .connecting else { return answeredWhileClosing(result) }
        switch result.mapError({ BluetoothError($0, operation: .connect, target: target) }) {
        case .success: confirm()
        // bluetoothd's own documents announce this error; what it really answers is success (Q80).
        case .failure(let error) where error.kind == .alreadyConnected: confirm()
        // It refuses to connect what another program has connected a moment ago; that link is there to be used (Q74).
        case .failure(let error) where isShownConnected && (isForeign || error.isCollision && collisions > 0):
            confirm()
        case .failure(let error) where error.isCollision: yield()
        case .failure(let error) where keysAreMissing(error): giveUp(BluetoothError(.bondLost, after: error))
        case .failure(let error) where error.isAbortedConnection && abortions < Self.mostAbortions: aborted()
        // The daemon is still trying, and must be told to stop (Q8).
        case .failure(let error) where error.kind == .timedOut: close(error)
        case .failure(let error): giveUp(error)
        }
    }

    /// Our attempt failed. If the device is connected all the same, our attempt made that link, and nobody else closes it.
    private func giveUp(_ error: BluetoothError) {
        guard isShownConnected else { return end(error) }
        hasFailed = true
        close(error)
    }

    /// Whether the link came up and could not be encrypted, because the peripheral has lost the bond (Q87). bluetoothd 5.66 does not
    /// say so. Either it tells of a cancellation for which nobody has asked (Q79), or of an abort, which a controller may also
    /// bring about by itself (Q77); only one that comes twice in a row is taken for it.
    private func keysAreMissing(_ error: BluetoothError) -> Bool {
        guard wasSeenConnected, client.devices[key]?.isBonded == true else { return false }
        switch error.dbusMessage {
        case "br-connection-canceled": return true
        case "le-connection-abort-by-local":
            client.devices[key]?.aborts += 1
            return client.devices[key]?.aborts ?? 0 > 1
        default: return false
        }
    }

    /// The reply is the truth (Q78); where the mirror says otherwise, the daemon is asked.
    private func confirm() {
        if isShownConnected { return opened() }
        step = .confirming
        connecting = client.readFlag("Connected", of: BlueZ.device, at: key.path) { [weak self] result in
            guard let self, phase == .connecting else { return }
            switch result {
            case .success(true): opened()
            case .success(false): end(BluetoothError(.disconnected(.unknown)))
            // There may be a link all the same, and it is ours to close.
            case .failure(let error): close(BluetoothError(error, operation: .connect, target: target))
            }
        }
    }

    // MARK: Trying again

    /// How often an attempt that the controller gave up is repeated: the ninth failure is told (Q77).
    private static let mostAbortions = 8
    private static let pause = Duration.milliseconds(250)

    /// The controller gave the attempt up, as it does now and then. It is repeated after a moment, and not while the
    /// device still looks connected (Q77).
    private func aborted() {
        abortions += 1
        client.journal.debug(.connectRepeated(peripheral, aborts: abortions, again: Self.pause))
        tryAgain(after: Self.pause, as: .pausing) { [weak self] in
            guard let self else { return }
            if isShownConnected, abortions < Self.mostAbortions { aborted() } else { connect() }
        }
    }

    /// Another program's attempt is under way, and bluetoothd refuses a second one (Q119). Its end is not announced: a success
    /// shows as `Connected`, and after a failure the next call starts an attempt of ours.
    private func yield() {
        collisions += 1
        if isShownConnected { isForeign = !takesOver }
        tryAgain(after: min(.seconds(1), Self.pause * collisions), as: .yielding) { [weak self] in
            self?.askWhoConnected()
        }
    }

    /// The answer tells another program's link from one that the next `Connect` makes: its signal may still be on the way.
    private func askWhoConnected() {
        connecting = client.readFlag("Connected", of: BlueZ.device, at: key.path) { [weak self] result in
            guard let self, phase == .connecting, step == .yielding else { return }
            if case .success(true) = result { isForeign = !takesOver }
            connect()
        }
    }

    private func tryAgain(after pause: Duration, as step: Step, _ work: @escaping () -> Void) {
        self.step = step
        connecting?.cancel()
        connecting = client.bus.schedule(after: pause) { [weak self] in
            if let self, phase == .connecting, self.step == step { work() }
        }
    }

    // MARK: What bluetoothd shows meanwhile

    /// Follows whose link is up. It may flicker, and the reply to `Connect` decides whether there is one (Q78).
    func connectedChangedWhileConnecting(_ isConnected: Bool) {
        guard isConnected else {
            // The link of another program has ended; the next one is made by our attempt.
            isForeign = false
            return
        }
        wasSeenConnected = true
        // In both, no attempt of ours is under way, so another program made the link.
        guard step == .yielding || step == .pausing else { return }
        isForeign = !takesOver
        connecting?.cancel()
        // It is answered at once, and starts an attempt of ours if the link is down again by then.
        connect()
        stopRediscovery()
    }

    /// bluetoothd removed the device: 5.66 does so when an attempt fails for a device without a bond, and leaves `Connect` without
    /// an answer (Q123). That is a failed attempt. Only a scan brings the device back.
    func removedWhileConnecting() {
        guard step != .rediscovering else { return }
        connecting?.cancel()
        connecting = nil
        step = .rediscovering
        isForeign = false
        // An adapter that is switched off removes its devices first, and then ends its links itself (Q32).
        connecting = client.bus.schedule(after: Self.pause) { [weak self] in self?.rediscover() }
    }

    private func rediscover() {
        guard phase == .connecting, step == .rediscovering, rediscovery == nil else { return }
        rediscovery = client.access?.scan([], ScanOptions(allowsDuplicates: true), on: peripheral.home)
            .subscribe(onError: { _ in })
    }

    /// A scan has found the removed device.
    func reappeared() {
        guard phase == .connecting, step == .rediscovering else { return }
        isForeign = isShownConnected && !takesOver
        tryAgain(after: Self.pause, as: .pausing) { [weak self] in
            guard let self else { return }
            connect()
            stopRediscovery()
        }
    }

    func stopRediscovery() {
        guard let scan = rediscovery else { return }
        rediscovery = nil
        // The scan ends by work that waits in the context, and counts as being undone from then on.
        let teardowns = client.teardowns
        teardowns.begin()
        scan.dispose()
        client.bus.perform { teardowns.end() }
    }
}

extension BluetoothError {
    /// Whether `Connect` was refused because another call of it is under way for the same device (Q76, Q119).
    /// Source: BlueZ 5.66, `src/device.c`, `device_connect_le` and `connect_profiles`.
    fileprivate var isCollision: Bool {
        kind == .busy
            && (dbusName == "org.bluez.Error.InProgress" || dbusMessage == ErrorTable.alreadyInProgress)
    }
}
