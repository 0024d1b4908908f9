import DBus

/// The notify sessions of a characteristic, and the timer of its periodic notifications.
final class NotifySessions {
    var sessions: [ClientNotifySession] = []
    var timer: BusTask?
    /// Whether the server was last informed that a client is subscribed.
    var isServerSwitchedOn = false
    var count = 0

    /// Whether any session is armed. The peripheral's CCCD is then set.
    var isOn: Bool { sessions.contains(where: \.isArmed) }
}

/// The notify session of one client.
final class ClientNotifySession {
    let client: String
    /// Whether the CCCD is set for the session. False while the link is down or the CCCD is being written.
    var isArmed = false
    var token: ClientDepartureHandler?

    init(client: String) { self.client = client }
}

/// Notifications, with one notify session per client.
///
/// Sessions outlive a link and are armed again on the next link (Q103). Source: src/gatt-client.c.
extension RemoteCharacteristic {
    /// The value of the CCCD.
    var switchValue: [UInt8] { isSwitchedOn ? [server.indicates ? 2 : 1, 0] : [0, 0] }

    /// Whether the peripheral sends values, for a client or for bluetoothd itself.
    /// bluetoothd subscribes to the battery level, and to Service Changed (2A05) on each connection.
    var isSwitchedOn: Bool {
        notifySessions.isOn || notifications?.isArmed == true || device.battery?.isSubscribed(to: server) == true
            || server.isServiceChanged && device.areServicesResolved
    }

    func startNotify(_ call: IncomingCall) throws(DBusError) {
        if device.disconnection != nil { throw BlueZError.notConnected }
        if isSubscribingStale { throw BlueZError.inProgress }
        if notifications != nil || isSocketFreed { throw BlueZError.notPermitted("Notify acquired") }
        guard server.notifications != nil else { throw BlueZError.notSupported }
        let client = call.message.sender ?? ""
        if notifySessions.sessions.contains(where: { $0.client == client }) { return tree.reply(call) }
        let session = ClientNotifySession(client: client)
        session.token = device.loop.watch(client) { [weak self, weak session] in
            if let self, let session { end(session) }
        }
        notifySessions.sessions.append(session)
        guard device.link != nil else { return tree.reply(call) }
        arm(session, call)
    }

    func stopNotify(_ call: IncomingCall) throws(DBusError) {
        if isSocketFreed { return device.loop.crash() }
        // StopNotify also cancels a start that bluetoothd has lost (Q126, complete_unregister_notify).
        let wasStale = isSubscribingStale
        isSubscribingStale = false
        // If a client acquired the notifications, StopNotify of any client closes that client's socket.
        if let notifications {
            close(notifications)
            return tree.reply(call)
        }
        guard let session = notifySessions.sessions.first(where: { $0.client == call.message.sender }) else {
            if wasStale { return tree.reply(call) }
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

    /// Sends a value: one signal per armed session, so every client receives it once per session.
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

    private func arm(_ session: ClientNotifySession, _ call: IncomingCall?) {
        // If the CCCD is already set, no request to the peripheral is needed.
        guard let link = device.link, !isSwitchedOn else { return armed(session, call) }
        link.request(needing: server.protection) {
            .accepted
        } dropped: { [weak self] in
            guard let self, notifySessions.sessions.contains(where: { $0 === session }) else { return }
            isSubscribingStale = true
        } _: { [weak self] outcome in
            guard let self else { return }
            guard case .error = outcome else { return armed(session, call) }
            device.loop.forget(session.token)
            notifySessions.sessions.removeAll { $0 === session }
            if let call { tree.fail(call, outcome.error) }
        }
    }

    private func armed(_ session: ClientNotifySession, _ call: IncomingCall?) {
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

    private func end(_ session: ClientNotifySession) {
        notifySessions.sessions.removeAll { $0 === session }
        if !isSwitchedOn { stopClock() }
        guard isNotifying, !notifySessions.isOn else { return }
        isNotifying = false
        changed("Notifying")
    }

    /// Informs the server that the first client subscribed, or that the last one unsubscribed.
    private func switched(_ isOn: Bool) {
        guard isOn != notifySessions.isServerSwitchedOn else { return }
        notifySessions.isServerSwitchedOn = isOn
        server.notifications?.switched?(isOn)
    }

    // MARK: Periodic notifications

    func startClock() {
        switched(true)
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
        switched(false)
        notifySessions.timer?.cancel()
        notifySessions.timer = nil
    }
}
