import DBus

/// Connects a device. Signals and replies have the same order as in BlueZ (src/device.c).
extension DaemonDevice {
    func connect(_ call: IncomingCall) throws(DBusError) {
        // On a live link, Connect succeeds at once without any signal (Q71, Q80).
        if link != nil { return tree.reply(call) }
        if pairing?.isKept == true { throw BlueZError.inProgress }
        becomeTemporary(false)
        isAutoConnectOff = false
        endSpontaneousAttempt()
        if let attempt {
            if attempt.call != nil {
                throw adapter.differences.has(.connectInProgress)
                    ? BlueZError.inProgress : ConnectError.alreadyConnecting
            }
            // Connect joins an attempt that Pair started.
            attempt.call = call
            return
        }
        guard adapter.isPowered else { throw ConnectError.adapterOff }
        startAttempt(ConnectionAttempt(call))
    }

    /// Handles `ConnectProfile`, which always fails.
    ///
    /// bluetoothd searches for profiles over BR/EDR (connect_profiles in src/device.c), which is not simulated.
    func connectProfile(_ call: IncomingCall) throws(DBusError) {
        if adapter.differences.has(.checkedProfile) {
            let uuid = try call.message.read { (body) throws(DBusError) in try body.string() }
            guard uuid.isEmpty || FullUUID.text(uuid) != nil else { throw ConnectError.profileInvalid }
        }
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

    /// Continues the pending attempt if the peripheral is reachable now.
    ///
    /// If the peripheral is not reachable, the attempt waits until a later call of this function.
    func continueAttempt() {
        guard let attempt, !attempt.isAnswered, let deviceState = adapter.radio.deviceState(address),
            deviceState.isReachable
        else {
            return
        }
        attempt.isAnswered = true
        // The kernel drops a link to a blocked device at once. An attempt without a call of Connect, such as that
        // of Pair, does not detect this and waits for its timeout.
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

    /// How much longer a connection takes because the radio also scans (Q64).
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
        bearerChanged()
        if isBonded {
            guard let protection = deviceState.bonds[adapter.hardware.address] else { return keysAreMissing(attempt) }
            link.protection = min(bond, protection)
        }
        // The reply to Connect is sent before service discovery starts (Q70).
        if let call = attempt.call { tree.reply(call) }
        if let pairing { begin(pairing) }
        link.isUsed = true
        for service in services { service.linkCameUp() }
        // If an earlier link discovered the services, bluetoothd reads the battery level without waiting for discovery.
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

    /// Ends the link, which cannot be encrypted because the peripheral lost its bond (Q87).
    private func keysAreMissing(_ attempt: ConnectionAttempt) {
        link?.after(adapter.radio.deviceState(address)?.connection.roundTrip ?? .zero) { [weak self] in
            guard let self else { return }
            if let call = attempt.call { tree.fail(call, ConnectError.canceled) }
            linkEnded(.authentication)
        }
    }

    func resolved(_ deviceState: SimulatedDeviceState) {
        if hasOtherHash(deviceState.server) {
            for service in services { service.disappear() }
            services = []
        }
        if services.isEmpty {
            attributeTable = deviceState.server
            let showsAll = adapter.differences.has(.claimedServices)
            let hidesBattery = adapter.differences.has(.hiddenBattery)
            let visible = deviceState.server.services.filter {
                (showsAll || !$0.isClaimed) && !(hidesBattery && $0.isBattery)
            }
            services = visible.map {
                RemoteService($0, of: self)
            }
            for service in services { service.appear() }
        }
        // Source: BlueZ 5.82, device_add_eir_uuids in src/device.c.
        if adapter.differences.has(.advertisedServicesKept) { keptServices.formUnion(advertisedServices) }
        let uuids = keptServices.union(deviceState.server.services.filter(\.isPrimary).map(\.uuid)).sorted()
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
            guard let self else { return }
            // The name in the GAP service replaces the advertised one (Q57).
            setName(deviceState.server.gapName(adapter.differences))
            setAppearance(deviceState.server.gapAppearance)
            // Without the last report, the next advertisement counts as new and can restore the advertised name.
            lastReport = nil
        }
    }

    /// Returns whether the peripheral's Database Hash differs from the one of the stored services.
    ///
    /// bluetoothd reads the hash when a link comes up, and then discovers the services again.
    /// Source: BlueZ 5.66, src/shared/gatt-client.c, db_hash_read_cb.
    private func hasOtherHash(_ server: PeripheralGATTServer) -> Bool {
        guard let stored = attributeTable?.characteristic("2b2a")?.value else {
            return false
        }
        return stored != server.characteristic("2b2a")?.value
    }

    /// Fails the pending attempt, as the kernel does when the radio is switched off (Q32, Q77).
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

/// Connections that bluetoothd starts by itself (Q85). Source: BlueZ 5.66, src/device.c.
///
/// The real daemon reconnects HID devices. With the quirk, the simulation reconnects all bonded or trusted devices.
extension DaemonDevice {
    /// Starts an attempt after a link or an earlier attempt ended.
    ///
    /// `isWanted` is true if a client called `Disconnect`.
    func reconnectByItself(isWanted: Bool) {
        guard adapter.quirks.contains(.Q85), isBonded || isTrusted, !isBlocked else { return }
        // Disconnect turns automatic reconnection off until the next Connect, unless the device is trusted.
        if isWanted, !isTrusted { isAutoConnectOff = true }
        guard !isAutoConnectOff, adapter.isPowered, attempt == nil else { return }
        // This attempt has no timeout, because the kernel waits for an advertisement without a time limit.
        attempt = ConnectionAttempt(nil, isSpontaneous: true)
        loop.after(.seconds(1)) { [weak self] in self?.continueAttempt() }
    }

    /// Cancels an automatic attempt in favor of a client's call.
    func endSpontaneousAttempt() {
        guard let attempt, attempt.isSpontaneous else { return }
        attempt.cancel()
        self.attempt = nil
    }
}

/// A pending connection attempt.
final class ConnectionAttempt {
    /// The pending call of `Connect`; nil if no client has called `Connect` for this attempt.
    var call: IncomingCall?
    var timers: [BusTask] = []
    /// Whether bluetoothd started the attempt by itself (Q85).
    let isSpontaneous: Bool
    /// Whether the peripheral answered and the link is being established.
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
