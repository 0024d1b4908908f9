import DBus

/// A live link to a peripheral. It carries one ATT request at a time.
final class DaemonLink {
    let deviceState: SimulatedDeviceState
    private unowned let device: DaemonDevice
    private var operations: [ATTRequest] = []
    private var isBusy = false
    /// Whether the first request waits for encryption.
    private var isRaisingProtection = false
    private var isUp = true
    /// Whether bluetoothd has begun to use the services over this link.
    var isUsed = false
    /// The number of sockets acquired so far.
    var acquisitions = 0
    /// The device's use of our services over the link, and that of other centrals with its address.
    var centrals: [CentralLink] = []
    /// The peripheral's ends of the L2CAP channels over the link.
    var channels: [SimulatedChannelEnd] = []
    /// The security level of the link.
    var protection = SimulatedProtection.none

    /// A pending ATT request.
    struct ATTRequest {
        /// The security level that the attribute requires.
        let needs: SimulatedProtection
        let ask: () -> SimulatedAnswer
        let done: (SimulatedAnswer.ATTOutcome) -> Void
        /// Called instead of `done` if bluetoothd frees the request without a reply (Q126).
        let dropped: () -> Void

        func fail(_ code: UInt8) { done(.error(code)) }
    }

    init(to deviceState: SimulatedDeviceState, of device: DaemonDevice) {
        self.deviceState = deviceState
        self.device = device
    }

    var mtu: UInt16 { deviceState.connection.mtu }

    /// Runs work after a delay, unless the link ends before.
    @discardableResult
    func after(_ delay: Duration, _ work: @escaping () -> Void) -> BusTask {
        device.loop.after(delay) { [weak self] in
            guard let self, isUp else { return }
            work()
        }
    }

    /// Ends the link and returns the pending requests, which fail.
    ///
    /// Newer versions drop a request that waits for encryption (Q126, bt_att_chan_free in src/shared/att.c).
    @discardableResult
    func end() -> [ATTRequest] {
        isUp = false
        if isRaisingProtection, device.adapter.quirks.contains(.Q126) { operations.removeFirst().dropped() }
        deviceState.link = nil
        for channel in channels { channel.close() }
        channels = []
        for central in centrals { central.end() }
        centrals = []
        defer { operations = [] }
        return operations
    }

    func request(
        needing needs: SimulatedProtection = .none, _ ask: @escaping () -> SimulatedAnswer,
        dropped: @escaping () -> Void = {}, _ done: @escaping (SimulatedAnswer.ATTOutcome) -> Void
    ) {
        operations.append(ATTRequest(needs: needs, ask: ask, done: done, dropped: dropped))
        next()
    }

    private func next() {
        guard !isBusy, let operation = operations.first else { return }
        isBusy = true
        if protection < operation.needs { return raiseProtection(for: operation) }
        let answer = operation.ask()
        if case .silence = answer.outcome {
            after(DaemonTimeLimits.attTimeout) { [weak self] in self?.timedOut(operation) }
            return
        }
        if case .deferred(let start) = answer.outcome {
            let transfer = BusContextTransfer { [weak self] (late: SimulatedAnswer) in
                guard let self, isUp else { return }
                finish(operation, late.outcome, after: deviceState.connection.roundTrip)
            }
            return start { transfer.content($0) }
        }
        finish(operation, answer.outcome, after: answer.delay ?? deviceState.connection.roundTrip)
    }

    /// Fails an unanswered request with the ATT error 0x0E (unlikely error), then ends the link.
    ///
    /// Source: timeout_cb in src/shared/att.c.
    private func timedOut(_ operation: ATTRequest) {
        operations.removeFirst()
        operation.fail(0x0E)
        device.linkEnded(.local)
    }

    private func finish(_ operation: ATTRequest, _ outcome: SimulatedAnswer.ATTOutcome, after delay: Duration) {
        after(delay) { [weak self] in
            guard let self else { return }
            operations.removeFirst()
            isBusy = false
            operation.done(outcome)
            next()
        }
    }

    /// Raises the security level of the link after the server refused a request, then repeats the request.
    ///
    /// Source: change_security in src/shared/att.c.
    private func raiseProtection(for operation: ATTRequest) {
        isRaisingProtection = true
        let refusal = SimulatedAnswer.ATTOutcome.error(operation.needs == .authentication ? 0x05 : 0x0F)
        after(deviceState.connection.roundTrip) { [weak self] in
            guard let self else { return }
            device.raiseProtection(to: operation.needs) { [weak self] isBetter in
                // If pairing fails, this request and all later ones wait until the link ends: the kernel blocks ATT
                // until the link is encrypted. This was observed with bluetoothd 5.66.
                guard let self, isUp, isBetter else { return }
                isRaisingProtection = false
                guard protection >= operation.needs else { return finish(operation, refusal, after: .zero) }
                isBusy = false
                next()
            }
        }
    }
}
