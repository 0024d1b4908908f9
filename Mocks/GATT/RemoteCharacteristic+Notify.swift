import DBus

/// The notify sessions of a characteristic, and the clock of what it sends by itself.
final class NotifySessions {
    var sessions: [NotifySession] = []
    var timer: BusTask?
    var count = 0

    /// The peripheral's switch (CCCD) is on while any session is armed.
    var isOn: Bool { sessions.contains(where: \.isArmed) }
}

/// One client's session.
final class NotifySession {
    let client: String
    /// Registered with the peripheral: false while the link is down, or the switch is still being set.
    var isArmed = false
    var token: ClientDepartureHandler?

    init(client: String) { self.client = client }
}

/// Notify sessions are per client; they outlive a lost link and are armed again (Q103). Source: src/gatt-client.c.
extension RemoteCharacteristic {
    /// What the descriptor that switches notifications holds.
    var switchValue: [UInt8] { isSwitchedOn ? [server.indicates ? 2 : 1, 0] : [0, 0] }

    /// Whether the peripheral sends values: for a client, or for bluetoothd's own reckoning of the battery, or of the
    /// services, whose changes (2A05) it asks for on each connection.
    var isSwitchedOn: Bool {
        notifySessions.isOn || notifications?.isArmed == true || device.battery?.isSubscribed(to: server) == true
            || server.isServiceChanged && device.areServicesResolved
    }

    func startNotify(_ call: IncomingCall) throws(DBusError) {
        if device.disconnection != nil { throw BlueZError.notConnected }
        if notifications != nil { throw BlueZError.notPermitted("Notify acquired") }
        guard server.notifications != nil else { throw BlueZError.notSupported }
        let client = call.message.sender ?? ""
        if notifySessions.sessions.contains(where: { $0.client == client }) { return tree.reply(call) }
        let session = NotifySession(client: client)
        session.token = device.loop.watch(client) { [weak self, weak session] in
            if let self, let session { end(session) }
        }
        notifySessions.sessions.append(session)
        guard device.link != nil else { return tree.reply(call) }
        arm(session, call)
    }

    func stopNotify(_ call: IncomingCall) throws(DBusError) {
        // Whoever calls.
        if let notifications {
            close(notifications)
            return tree.reply(call)
        }
        guard let session = notifySessions.sessions.first(where: { $0.client == call.message.sender }) else {
            throw BlueZError.failed("No notify session started")
        }
        device.loop.forget(session.token)
        end(session)
        tree.reply(call)
    }

    func linkCameUp() {
        for session in notifySessions.sessions { arm(session, nil) }
    }

    func linkWentDown() {
        for session in notifySessions.sessions { session.isArmed = false }
        stopClock()
    }

    func endNotifySessions() {
        for session in notifySessions.sessions { device.loop.forget(session.token) }
        notifySessions.sessions = []
        stopClock()
    }

    /// Sends a value to whoever is subscribed: one signal for each client's session, so two clients see it twice.
    func notify(_ value: [UInt8]) {
        if let battery = device.battery, battery.isSubscribed(to: server), let level = value.first {
            battery.take(level)
        }
        notifications?.socket?.send(value)
        for _ in notifySessions.sessions.filter(\.isArmed) {
            self.value = value
            changed("Value", atOnce: true)
        }
    }

    private func arm(_ session: NotifySession, _ call: IncomingCall?) {
        // With the switch on already there is nothing to write.
        guard let link = device.link, !isSwitchedOn else { return armed(session, call) }
        link.request(needing: server.protection) {
            .accepted
        } _: { [weak self] outcome in
            guard let self else { return }
            guard case .error = outcome else { return armed(session, call) }
            device.loop.forget(session.token)
            notifySessions.sessions.removeAll { $0 === session }
            if let call { tree.fail(call, outcome.error) }
        }
    }

    private func armed(_ session: NotifySession, _ call: IncomingCall?) {
        if notifySessions.sessions.contains(where: { $0 === session }) {
            session.isArmed = true
            startClock()
            if !isNotifying {
                isNotifying = true
                changed("Notifying")
            }
        }
        if let call { tree.reply(call) }
    }

    private func end(_ session: NotifySession) {
        notifySessions.sessions.removeAll { $0 === session }
        if !isSwitchedOn { stopClock() }
        guard isNotifying, !notifySessions.isOn else { return }
        isNotifying = false
        changed("Notifying")
    }

    // MARK: What it sends by itself

    func startClock() {
        guard notifySessions.timer == nil, let interval = server.notifications?.interval else { return }
        notifySessions.count = 0
        tick(interval)
    }

    private func tick(_ interval: Duration) {
        notifySessions.timer = device.loop.after(interval) { [weak self] in
            guard let self, isSwitchedOn, let notifications = server.notifications else { return }
            notify(notifications.value(notifySessions.count))
            notifySessions.count += 1
            tick(interval)
        }
    }

    func stopClock() {
        notifySessions.timer?.cancel()
        notifySessions.timer = nil
    }
}
