import DBus

/// The notify sessions of a characteristic, and the clock of what it sends by itself.
final class Notifier {
    /// One client's session.
    final class Session {
        let client: String
        /// Registered with the peripheral: false while the link is down, or the switch is still being set.
        var isArmed = false
        var token: ClientToken?

        init(client: String) { self.client = client }
    }

    var sessions: [Session] = []
    var timer: BusTask?
    var count = 0

    /// The peripheral's switch (CCCD) is on while any session is armed.
    var isOn: Bool { sessions.contains(where: \.isArmed) }
}

/// Notify sessions are per client; they outlive a lost link and are armed again (Q103). Source: src/gatt-client.c.
extension RemoteCharacteristic {
    /// What the descriptor that switches notifications holds.
    var switchValue: [UInt8] { isSwitchedOn ? [server.indicates ? 2 : 1, 0] : [0, 0] }

    /// Whether the peripheral sends values: for a client, or for bluetoothd's own reckoning of the battery, or of the
    /// services, whose changes (2A05) it asks for on each connection.
    var isSwitchedOn: Bool {
        notifier.isOn || notifications?.isArmed == true || device.battery?.isSubscribed(to: server) == true
            || server.tellsOfServices && device.areServicesResolved
    }

    func startNotify(_ call: IncomingCall) throws(DBusError) {
        if device.disconnection != nil { throw BlueZError.notConnected }
        if notifications != nil { throw BlueZError.notPermitted("Notify acquired") }
        guard server.notifications != nil else { throw BlueZError.notSupported }
        let client = call.message.sender ?? ""
        if notifier.sessions.contains(where: { $0.client == client }) { return tree.reply(call) }
        let session = Notifier.Session(client: client)
        session.token = device.turns.watch(client) { [weak self, weak session] in
            if let self, let session { end(session) }
        }
        notifier.sessions.append(session)
        guard device.link != nil else { return tree.reply(call) }
        arm(session, call)
    }

    func stopNotify(_ call: IncomingCall) throws(DBusError) {
        // Whoever calls.
        if let notifications {
            close(notifications)
            return tree.reply(call)
        }
        guard let session = notifier.sessions.first(where: { $0.client == call.message.sender }) else {
            throw BlueZError.failed("No notify session started")
        }
        device.turns.forget(session.token)
        end(session)
        tree.reply(call)
    }

    func linkCameUp() {
        for session in notifier.sessions { arm(session, nil) }
    }

    func linkWentDown() {
        for session in notifier.sessions { session.isArmed = false }
        stopClock()
    }

    func endNotifySessions() {
        for session in notifier.sessions { device.turns.forget(session.token) }
        notifier.sessions = []
        stopClock()
    }

    /// Sends a value to whoever is subscribed: one signal for each client's session, so two clients see it twice.
    func notify(_ value: [UInt8]) {
        if let battery = device.battery, battery.isSubscribed(to: server), let level = value.first {
            battery.take(level)
        }
        notifications?.socket?.send(value)
        for _ in notifier.sessions.filter(\.isArmed) {
            self.value = value
            changed("Value", atOnce: true)
        }
    }

    private func arm(_ session: Notifier.Session, _ call: IncomingCall?) {
        // With the switch on already there is nothing to write.
        guard let link = device.link, !isSwitchedOn else { return armed(session, call) }
        link.request(needing: server.protection) {
            .accepted
        } _: { [weak self] outcome in
            guard let self else { return }
            guard case .error = outcome else { return armed(session, call) }
            device.turns.forget(session.token)
            notifier.sessions.removeAll { $0 === session }
            if let call { tree.fail(call, outcome.error) }
        }
    }

    private func armed(_ session: Notifier.Session, _ call: IncomingCall?) {
        if notifier.sessions.contains(where: { $0 === session }) {
            session.isArmed = true
            startClock()
            if !isNotifying {
                isNotifying = true
                changed("Notifying")
            }
        }
        if let call { tree.reply(call) }
    }

    private func end(_ session: Notifier.Session) {
        notifier.sessions.removeAll { $0 === session }
        if !isSwitchedOn { stopClock() }
        guard isNotifying, !notifier.isOn else { return }
        isNotifying = false
        changed("Notifying")
    }

    // MARK: What it sends by itself

    func startClock() {
        guard notifier.timer == nil, let interval = server.notifications?.interval else { return }
        notifier.count = 0
        tick(interval)
    }

    private func tick(_ interval: Duration) {
        notifier.timer = device.turns.after(interval) { [weak self] in
            guard let self, isSwitchedOn, let notifications = server.notifications else { return }
            notify(notifications.value(notifier.count))
            notifier.count += 1
            tick(interval)
        }
    }

    func stopClock() {
        notifier.timer?.cancel()
        notifier.timer = nil
    }
}
