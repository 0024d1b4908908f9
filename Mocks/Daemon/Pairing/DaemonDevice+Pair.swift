import DBus

/// Pairs a device. Sources: BlueZ, src/device.c; Linux, net/bluetooth/smp.c.
extension DaemonDevice {
    var isBonded: Bool { bond != .none }
    /// Whether the link was paired without a bond, so that bluetoothd forgets the pairing with the link.
    var isPairedWithoutBond: Bool { !isBonded && link.map { $0.protection > .none } ?? false }
    var isPaired: Bool { (isBonded || isPairedWithoutBond) && !isPairedPending }

    func pair(_ call: IncomingCall) throws(DBusError) {
        // The kernel refuses to pair a link again that has keys (pair_device in net/bluetooth/mgmt.c).
        if isPairedWithoutBond || isBonded && adapter.differences.has(.pairAlreadyExists) {
            throw BlueZError.alreadyExists
        }
        becomeTemporary(false)
        if pairing?.call != nil { throw BlueZError.inProgress }
        let client = call.message.sender ?? ""
        if isBonded { return pairOverClassic(call, client) }
        endSpontaneousAttempt()
        // The call joins a pairing that something else started.
        if let pairing {
            pairing.call = call
            return watch(client, pairing)
        }
        let pairing = DaemonPairing(call, adapter.agents.agent(of: client))
        if link == nil, attempt == nil, !adapter.isPowered { throw ConnectError.adapterOff }
        self.pairing = pairing
        if link != nil {
            begin(pairing)
        } else if attempt == nil {
            // Without a link, Pair connects first.
            startAttempt(ConnectionAttempt(nil))
        }
        watch(client, pairing)
    }

    /// Starts pairing over BR/EDR without a link, as bluetoothd does if the device is bonded over LE.
    ///
    /// Source: pair_device and device_addr_type_cmp in src/device.c.
    private func pairOverClassic(_ call: IncomingCall, _ client: String) {
        let pairing = DaemonPairing(call, adapter.agents.agent(of: client), isOverClassic: true)
        self.pairing = pairing
        watch(client, pairing)
    }

    /// Cancels the pairing when the caller leaves the bus (Q91).
    private func watch(_ client: String, _ pairing: DaemonPairing) {
        pairing.token = loop.watch(client) { [weak self, weak pairing] in
            guard let self, let pairing, self.pairing === pairing else { return }
            pairing.token = nil
            if pairing.isKept { return }
            if let attempt, attempt.call == nil {
                attempt.cancel()
                self.attempt = nil
            }
            fail(pairing, BlueZError.authenticationCanceled)
            if link != nil { endLinkSoon() }
        }
    }

    func cancelPairing(_ call: IncomingCall) throws(DBusError) {
        guard let pairing, pairing.call != nil else {
            if isBonded, link != nil, adapter.differences.has(.cancelPairingDisconnects) { endLinkSoon() }
            throw BlueZError.doesNotExist
        }
        if attempt?.call == nil {
            attempt?.cancel()
            attempt = nil
        }
        fail(pairing, BlueZError.authenticationCanceled)
        tree.reply(call)
    }

    /// Starts or joins a pairing because an attribute requires more security.
    ///
    /// Calls `ended` with true if the pairing succeeded.
    func raiseProtection(to wanted: SimulatedProtection, _ ended: @escaping (Bool) -> Void) {
        guard let link, link.protection < wanted else { return ended(false) }
        if let pairing { return pairing.waiting.append(ended) }
        let pairing = DaemonPairing(nil, adapter.agents.defaultAgent)
        pairing.waiting.append(ended)
        self.pairing = pairing
        begin(pairing)
    }

    /// Starts the exchange with the peripheral if the link is up.
    func begin(_ pairing: DaemonPairing) {
        guard let link else { return }
        if pairing.isOverClassic {
            // When the LE link comes up, bluetoothd repeats the request over it, and the request fails.
            pairing.timer = link.after(link.deviceState.connection.roundTrip) { [weak self] in
                self?.fail(pairing, BlueZError.authenticationFailed)
            }
            return
        }
        let behavior = link.deviceState.pairing
        let method = PairingMethod(behavior.method, pairing.agent?.capability ?? .noInputNoOutput)
        pairing.timer = link.after(behavior.delay) { [weak self] in
            guard let self, self.pairing === pairing else { return }
            if let failure = behavior.failure {
                // Observed with bluetoothd 5.87 and a peripheral that sends the SMP reason 0x05.
                return refused(pairing, failure.error, failure == .notSupported ? .local : .authentication)
            }
            if behavior.isAuthenticationRequired, method.protection < .authentication {
                return refused(pairing, BlueZError.authenticationFailed)
            }
            proceed(pairing, behavior, method)
        }
    }

    private func proceed(_ pairing: DaemonPairing, _ behavior: SimulatedPairing, _ method: PairingMethod) {
        let passkey = behavior.method.passkey ?? 0
        let object = Value.objectPath(path)
        let isAsked: Bool
        switch method {
        case .justWorks:
            // The kernel requests bluetoothd's consent to each pairing. Without an agent, bluetoothd refuses (Q90).
            guard pairing.agent != nil else { return fail(pairing, BlueZError.authenticationFailed) }
            // A call of Pair counts as consent, so the agent gets no request.
            if pairing.call != nil { return succeed(pairing, method.protection) }
            isAsked = ask(pairing, "RequestAuthorization", [object]) { [weak self] reply in
                self?.finish(pairing, method, isRight: reply != nil)
            }
        case .displayPasskey:
            guard let agent = pairing.agent else { return fail(pairing, BlueZError.authenticationFailed) }
            agent.notifyAgent("DisplayPasskey", [object, .uint32(passkey), .uint16(0)])
            pairing.timer = link?.after(behavior.userDelay) { [weak self] in self?.succeed(pairing, method.protection) }
            return
        case .requestPasskey:
            isAsked = ask(pairing, "RequestPasskey", [object]) { [weak self] reply in
                let given = try? reply?.read { (body) throws(DBusError) in try body.uint32() }
                self?.finish(pairing, method, isRight: given == passkey, isPeerDecision: given != nil)
            }
        case .compare:
            isAsked = ask(pairing, "RequestConfirmation", [object, .uint32(passkey)]) { [weak self] reply in
                self?.finish(pairing, method, isRight: reply != nil)
            }
        }
        if !isAsked { fail(pairing, BlueZError.authenticationFailed) }
    }

    private func ask(
        _ pairing: DaemonPairing, _ member: String, _ arguments: [Value], _ answered: @escaping (Message?) -> Void
    ) -> Bool {
        pairing.isAsking = true
        // The link ends at the peripheral's time limit, which is shorter than bluetoothd's limit for agents.
        pairing.timer = link?.after(DaemonTimeLimits.pairing) { [weak self] in self?.linkEnded(.authentication) }
        return pairing.agent?.ask(member, arguments) { [weak self] result in
            guard let self, self.pairing === pairing else { return }
            pairing.isAsking = false
            pairing.timer?.cancel()
            answered(try? result.get())
        } ?? false
    }

    private func finish(_ pairing: DaemonPairing, _ method: PairingMethod, isRight: Bool, isPeerDecision: Bool = false)
    {
        guard let link else { return }
        // The pairing ends after another exchange with the peripheral, which takes one round trip.
        pairing.timer = link.after(link.deviceState.connection.roundTrip) { [weak self] in
            guard let self else { return }
            if isRight {
                succeed(pairing, method.protection)
            } else if isPeerDecision {
                refused(pairing, BlueZError.authenticationFailed)
            } else {
                fail(pairing, BlueZError.authenticationFailed)
            }
        }
    }

    private func succeed(_ pairing: DaemonPairing, _ protection: SimulatedProtection) {
        guard self.pairing === pairing, let link else { return }
        self.pairing = nil
        loop.forget(pairing.token)
        link.protection = protection
        let behavior = link.deviceState.pairing
        if behavior.makesBond {
            if !behavior.losesBond { link.deviceState.bonds[adapter.hardware.address] = protection }
            bond = protection
            becomeTemporary(false)
            store()
            changed("Bonded")
        }
        // Paired and the reply to Pair wait for service discovery (Q88).
        if areServicesResolved {
            changed("Paired")
            if let call = pairing.call { tree.reply(call) }
        } else {
            pairedCall = pairing.call
            isPairedPending = true
        }
        for ended in pairing.waiting { ended(true) }
    }

    func servicesWereResolved() {
        guard isPairedPending else { return }
        isPairedPending = false
        changed("Paired")
    }

    func answerPaired() {
        if let call = pairedCall { tree.reply(call) }
        pairedCall = nil
    }

    /// Fails a pairing. Cancels the agent's pending request before the call is answered.
    func fail(_ pairing: DaemonPairing, _ error: DBusError) {
        guard self.pairing === pairing else { return }
        self.pairing = nil
        pairing.timer?.cancel()
        loop.forget(pairing.token)
        if pairing.isAsking { pairing.agent?.cancel() }
        if !isBonded, !isTrusted { becomeTemporary(true) }
        if let call = pairing.call { tree.fail(call, error) }
        for ended in pairing.waiting { ended(false) }
    }

    /// Fails a pairing that the peripheral refused, and ends the link as the kernel does.
    ///
    /// If this computer refuses, the link stays up.
    private func refused(
        _ pairing: DaemonPairing, _ error: DBusError, _ reason: SimulatedDisconnectReason = .authentication
    ) {
        guard self.pairing === pairing else { return }
        fail(pairing, error)
        linkEnded(reason)
    }

    /// Fails the pending pairing and the pending call of `Pair`, because the link ended.
    func endPairing() {
        if let pairing {
            if pairing.call != nil, adapter.quirks.contains(.Q136) {
                keep(pairing)
            } else {
                fail(pairing, BlueZError.authenticationCanceled)
            }
        }
        isPairedPending = false
        if let call = pairedCall { tree.fail(call, ConnectError.pairingAborted) }
        pairedCall = nil
    }

    /// Keeps a pairing without a link (Q136, dev_disconnected in src/adapter.c of 5.87).
    private func keep(_ pairing: DaemonPairing) {
        pairing.isKept = true
        pairing.timer?.cancel()
        if pairing.isAsking { pairing.agent?.cancel() }
        let waiting = pairing.waiting
        pairing.waiting = []
        for ended in waiting { ended(false) }
    }
}
