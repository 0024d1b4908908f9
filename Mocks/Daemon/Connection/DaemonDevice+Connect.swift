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
            if attempt.call != nil { throw ConnectError.alreadyConnecting }
            // One for the sake of a pairing serves `Connect` as well.
            attempt.call = call
            return
        }
        guard adapter.isPowered else { throw ConnectError.adapterOff }
        startAttempt(ConnectionAttempt(call))
    }

    /// Profiles are a thing of Bluetooth classic: bluetoothd looks for them over a bearer that a peripheral of ours does not
    /// have, whatever the UUID (connect_profiles in src/device.c).
    func connectProfile(_ call: IncomingCall) throws(DBusError) {
        if attempt?.call != nil { throw ConnectError.profileBusy }
        guard adapter.isPowered else { throw ConnectError.profileAdapterOff }
        becomeTemporary(false)
        throw ConnectError.profileNotFound
    }

    func startAttempt(_ attempt: ConnectionAttempt) {
        self.attempt = attempt
        attempt.timers.append(
            loop.after(DaemonTimeLimits.connectTimeout) { [weak self] in
                self?.fail(attempt, ConnectError.abortedByLocal)
            })
        continueAttempt()
    }

    /// Reaches for the peripheral if it can be reached now; it may come into range while the attempt lasts.
    func continueAttempt() {
        guard let attempt, !attempt.isAnswered, let deviceState = adapter.radio.deviceState(address),
            deviceState.isReachable
        else {
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
                if fails { return fail(attempt, ConnectError.abortedByLocal) }
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
            if let call = attempt.call { tree.fail(call, ConnectError.canceled) }
            linkEnded(.authentication)
        }
    }

    func resolved(_ deviceState: SimulatedDeviceState) {
        if services.isEmpty {
            let showsAll = adapter.features.contains(.claimedServices)
            services = deviceState.server.services.filter { showsAll || !$0.isClaimed }.map {
                RemoteService($0, of: self)
            }
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
        if let attempt { fail(attempt, ConnectError.abortedByLocal) }
    }

    private func fail(_ attempt: ConnectionAttempt, _ error: DBusError) {
        guard self.attempt === attempt else { return }
        attempt.cancel()
        self.attempt = nil
        if let call = attempt.call { tree.fail(call, error) }
        if let pairing { fail(pairing, ConnectError.pairingAborted) }
        if attempt.isSpontaneous { reconnectByItself(isWanted: false) }
    }
}

/// Devices that are connected again by themselves (Q85). The real daemon does so for those of a profile that wants it, which
/// is HID; here a switch does it for all that are bonded or trusted. Source: BlueZ 5.66, src/device.c.
extension DaemonDevice {
    /// The link is gone; whoever asked for that is known.
    func reconnectByItself(isWanted: Bool) {
        guard adapter.quirks.contains(.Q85), isBonded || isTrusted, !isBlocked else { return }
        // Who disconnects a device that is not trusted wants it to stay so, until `Connect`.
        if isWanted, !isTrusted { isAutoConnectOff = true }
        guard !isAutoConnectOff, adapter.isPowered, attempt == nil else { return }
        // The kernel waits for an advertisement, for as long as it takes.
        attempt = ConnectionAttempt(nil, isSpontaneous: true)
        loop.after(.seconds(1)) { [weak self] in self?.continueAttempt() }
    }

    /// Makes room for what somebody asks for.
    func endSpontaneousAttempt() {
        guard let attempt, attempt.isSpontaneous else { return }
        attempt.cancel()
        self.attempt = nil
    }
}

/// An attempt to connect that is under way.
final class ConnectionAttempt {
    /// The call of `Connect`; nil where pairing began it, and nobody has called since.
    var call: IncomingCall?
    var timers: [BusTask] = []
    /// Nobody asked for it: the daemon connects a device by itself (Q85).
    let isSpontaneous: Bool
    /// The peripheral has answered, and the link is being made.
    var isAnswered = false

    init(_ call: IncomingCall?, isSpontaneous: Bool = false) {
        self.call = call
        self.isSpontaneous = isSpontaneous
    }

    func cancel() {
        for timer in timers { timer.cancel() }
        timers = []
    }
}
