import DBus

/// Starts and stops scans, with one session per client. Source: BlueZ 5.66, src/adapter.c.
extension DaemonAdapter {
    func startDiscovery(_ call: IncomingCall) throws(DBusError) {
        guard isPowered else { throw BlueZError.notReady }
        let client = call.message.sender ?? ""
        // A client has one session; its second start is refused (Q37).
        if discovery.session(of: client) != nil { throw BlueZError.busy }
        let session = discovery.prepared(of: client) ?? newSession(client)
        discovery.begin(session)
        if discovery.isUpToDate {
            discovery.update()
            return tree.reply(call)
        }
        session.waiting = call
        loop.after(DaemonTimeLimits.startDiscovery) { [weak self] in self?.started(session) }
    }

    private func started(_ session: DiscoverySession) {
        guard discovery.sessions.contains(where: { $0 === session }) else { return }
        discovery.start()
        radio.remedy(.discoveryStart, for: number)
        if let call = session.waiting {
            session.waiting = nil
            tree.reply(call)
        }
        radio.startListening(self)
        guard !isDiscovering else { return }
        isDiscovering = true
        changed("Discovering")
    }

    func setDiscoveryFilter(_ call: IncomingCall) throws(DBusError) {
        guard isPowered else { throw BlueZError.notReady }
        let filter = try ClientDiscoveryFilter.read(call.message, with: differences.features)
        let client = call.message.sender ?? ""
        if let session = discovery.session(of: client) {
            session.filter = filter
            if discovery.isReceiving {
                discovery.update()
            } else if session.waiting == nil {
                // Another client has left and thereby stopped the scan (Q125). The new filter starts the scan again.
                loop.after(DaemonTimeLimits.startDiscovery) { [weak self] in self?.started(session) }
            }
        } else if let session = discovery.prepared(of: client) {
            session.filter = filter
            if filter == nil { drop(session) }
        } else if filter != nil {
            let session = newSession(client)
            session.filter = filter
            discovery.prepare(session)
        }
        tree.reply(call)
    }

    func stopDiscovery(_ call: IncomingCall) throws(DBusError) {
        guard isPowered else { throw BlueZError.notReady }
        guard let session = discovery.session(of: call.message.sender ?? "") else {
            throw BlueZError.failed("No discovery started")
        }
        if session.waiting != nil { throw BlueZError.busy }
        stop(session, call)
    }

    /// Stops a session, and also the kernel's scan if there is at most one scanning session.
    ///
    /// As in BlueZ (discovery_stop), a client that leaves the bus with only a filter thus stops the scan of a single
    /// other client (Q125).
    private func stop(_ session: DiscoverySession, _ call: IncomingCall?) {
        // With two or more sessions, the kernel keeps scanning for the other clients (Q40).
        guard discovery.sessions.count < 2 else {
            end(session)
            discovery.update()
            if let call { tree.reply(call) }
            return
        }
        // If the kernel does not scan, the signal of Discovering precedes the reply.
        guard discovery.isReceiving else {
            endScan(with: session)
            tree.flush()
            if let call { tree.reply(call) }
            return
        }
        session.waiting = call
        loop.after(DaemonTimeLimits.stopDiscovery) { [weak self] in self?.stopped(session) }
    }

    private func stopped(_ session: DiscoverySession) {
        guard discovery.contains(session) else { return }
        if let call = session.waiting {
            session.waiting = nil
            tree.reply(call)
        }
        guard discovery.isPrepared(session) || discovery.sessions.count == 1 else {
            end(session)
            return discovery.update()
        }
        endScan(with: session)
    }

    private func endScan(with session: DiscoverySession) {
        end(session)
        discovery.stop()
        monitors.listeningChanged()
        // If another client's session has lost its scan, the session remains, so there is no clean-up yet.
        if discovery.sessions.isEmpty { temporaryDevices.cleanUpAfterDiscovery() }
        isDiscovering = false
        changed("Discovering")
    }

    /// Ends a session. Its filter remains for the client's next session (Q69).
    private func end(_ session: DiscoverySession) {
        discovery.drop(session)
        if session.filter != nil, session.token != nil {
            discovery.prepare(session)
        } else {
            loop.forget(session.token)
        }
    }

    private func newSession(_ client: String) -> DiscoverySession {
        let session = DiscoverySession(client: client)
        session.token = loop.watch(client) { [weak self, weak session] in
            guard let self, let session else { return }
            session.token = nil
            session.waiting = nil
            stop(session, nil)
        }
        return session
    }

    private func drop(_ session: DiscoverySession) {
        discovery.drop(session)
        loop.forget(session.token)
    }

    /// Ends all sessions because the power goes off. Pending calls fail with InProgress.
    func endAllSessions() {
        for session in discovery.removeAll() {
            loop.forget(session.token)
            if let call = session.waiting { tree.fail(call, BlueZError.busy) }
        }
        discovery.stop()
        radio.stopListening(self)
        temporaryDevices.cleanUpAfterDiscovery()
    }
}
