import DBus

/// Connecting. Source: BlueZ 5.66, src/device.c; orders as seen on the real one.
extension DaemonDevice {
    func connect(_ call: IncomingCall) throws(DBusError) {
        // A live link is a success at once, and no signal follows (Q71, Q80).
        if link != nil { return tree.reply(call) }
        becomeTemporary(false)
        isAutoConnectOff = false
        endSpontaneousAttempt()
        if let attempt {
            if attempt.call != nil { throw BlueZError.failed("Operation already in progress") }
            // One for the sake of a pairing serves `Connect` as well.
            attempt.call = call
            return
        }
        guard adapter.isPowered else { throw BlueZError.failed("Input/output error") }
        startAttempt(ConnectionAttempt(call))
    }

    /// Profiles are a thing of Bluetooth classic: bluetoothd looks for them over a bearer that a peripheral of ours does not
    /// have, whatever the UUID (connect_profiles in src/device.c).
    func connectProfile(_ call: IncomingCall) throws(DBusError) {
        if attempt?.call != nil { throw BlueZError.inProgress("br-connection-busy") }
        guard adapter.isPowered else { throw BlueZError.notReady("br-connection-adapter-not-powered") }
        becomeTemporary(false)
        throw BlueZError.failed("br-connection-sdp-search")
    }

    func startAttempt(_ attempt: ConnectionAttempt) {
        self.attempt = attempt
        attempt.timers.append(
            loop.after(DaemonTimeLimits.connectTimeout) { [weak self] in self?.fail(attempt, "le-connection-abort-by-local") })
        continueAttempt()
    }

    /// Reaches for the peripheral if it can be reached now; it may come into range while the attempt lasts.
    func continueAttempt() {
        guard let attempt, !attempt.isAnswered, let deviceState = adapter.radio.deviceState(address), deviceState.isReachable else {
            return
        }
        attempt.isAnswered = true
        // The kernel drops links to a blocked device as they come up; a pairing hears nothing of that.
        if isBlocked, attempt.call == nil { return }
        deviceState.attempts += 1
        let fails = isBlocked || deviceState.attempts <= deviceState.connection.failures
        attempt.timers.append(
            loop.after(deviceState.connection.delay + delayByScanning) { [weak self] in
                guard let self, self.attempt === attempt else { return }
                if fails { return fail(attempt, "le-connection-abort-by-local") }
                guard deviceState.isReachable else {
                    attempt.isAnswered = false
                    return
                }
                established(attempt, with: deviceState)
            })
    }

    /// A radio that scans meanwhile has less time to connect (Q64).
    private var delayByScanning: Duration {
        adapter.quirks.contains(.Q64) && adapter.discovery.isReceiving ? DaemonTimeLimits.scanningMeanwhile : .zero
    }

    func established(_ attempt: ConnectionAttempt, with deviceState: SimulatedDeviceState) {
        attempt.cancel()
        self.attempt = nil
        markSeen(isConnectable: true)
        let link = DaemonLink(to: deviceState, of: self)
        self.link = link
        deviceState.link = link
        changed("Connected")
        if isBonded {
            guard let protection = deviceState.bonds[adapter.hardware.address] else { return keysAreMissing(attempt) }
            link.protection = min(bond, protection)
        }
        // The reply comes before GATT discovery has begun (Q70).
        if let call = attempt.call { tree.reply(call) }
        if let pairing { begin(pairing) }
        for service in services { service.linkCameUp() }
        // Where the services are known from an earlier link, their profiles do not wait for discovery.
        if !services.isEmpty { startBattery(link) }
        link.after(deviceState.connection.discovery) { [weak self] in self?.resolved(deviceState) }
        if let delay = deviceState.connection.dropsAfter {
            link.after(delay) { [weak self] in self?.linkEnded() }
        }
    }

    private func startBattery(_ link: DaemonLink) {
        guard battery == nil else { return }
        battery = Battery(of: self, link)
        battery?.start()
    }

    /// The peripheral has lost its bond: the link cannot be encrypted and ends again, each time (Q87).
    private func keysAreMissing(_ attempt: ConnectionAttempt) {
        link?.after(adapter.radio.deviceState(address)?.connection.roundTrip ?? .zero) { [weak self] in
            guard let self else { return }
            if let call = attempt.call { tree.fail(call, BlueZError.failed("br-connection-canceled")) }
            linkEnded(.authentication)
        }
    }

    func resolved(_ deviceState: SimulatedDeviceState) {
        if services.isEmpty {
            let showsAll = adapter.features.contains(.claimedServices)
            services = deviceState.server.services.filter { showsAll || !$0.isClaimed }.map { RemoteService($0, of: self) }
            for service in services { service.appear() }
        }
        let uuids = Set(deviceState.server.services.filter(\.isPrimary).map(\.uuid)).sorted()
        if resolvedServices != uuids {
            resolvedServices = uuids
            changed("UUIDs")
        }
        advertisedServices = []
        areServicesResolved = true
        changed("ServicesResolved")
        for service in services { service.becameReady() }
        servicesWereResolved()
        store()
        answerPaired()
        if let link { startBattery(link) }
        link?.after(deviceState.connection.roundTrip * 2) { [weak self] in
            // What the GAP service says goes over what was advertised (Q57).
            self?.setName(deviceState.server.gapName)
            self?.setAppearance(deviceState.server.gapAppearance)
            // The next advertisement may put the advertised name back.
            self?.lastReport = nil
        }
    }

    /// The radio is gone in the middle of an attempt: the kernel aborts it (Q32, Q77).
    func abortAttempt() {
        if let attempt { fail(attempt, "le-connection-abort-by-local") }
    }

    private func fail(_ attempt: ConnectionAttempt, _ reason: String) {
        guard self.attempt === attempt else { return }
        attempt.cancel()
        self.attempt = nil
        if let call = attempt.call { tree.fail(call, BlueZError.failed(reason)) }
        if let pairing { fail(pairing, BlueZError.failed("Software caused connection abort")) }
        if attempt.isSpontaneous { reconnectByItself(isWanted: false) }
    }
}
