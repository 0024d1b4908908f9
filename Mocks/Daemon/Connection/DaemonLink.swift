import DBus

/// A live link to a peripheral, and the one ATT request at a time that it carries.
final class DaemonLink {
    let deviceState: SimulatedDeviceState
    private unowned let device: DaemonDevice
    private var operations: [ATTRequest] = []
    private var isBusy = false
    private var isUp = true
    /// How many sockets were asked for.
    var acquisitions = 0
    /// How well it is protected.
    var protection = SimulatedProtection.none

    /// An ATT request: what it asks the server, and what becomes of the answer.
    struct ATTRequest {
        /// What the attribute demands of the link.
        let needs: SimulatedProtection
        let ask: () -> SimulatedAnswer
        let done: (SimulatedAnswer.ATTOutcome) -> Void

        func fail(_ code: UInt8) { done(.error(code)) }
    }

    init(to deviceState: SimulatedDeviceState, of device: DaemonDevice) {
        self.deviceState = deviceState
        self.device = device
    }

    var mtu: UInt16 { deviceState.connection.mtu }

    /// Does work after a delay if the link is still up then.
    @discardableResult
    func after(_ delay: Duration, _ work: @escaping () -> Void) -> BusTask {
        device.loop.after(delay) { [weak self] in
            guard let self, isUp else { return }
            work()
        }
    }

    /// Ends the link. Gives what was in flight.
    @discardableResult
    func end() -> [ATTRequest] {
        isUp = false
        deviceState.link = nil
        defer { operations = [] }
        return operations
    }

    func request(
        needing needs: SimulatedProtection = .none, _ ask: @escaping () -> SimulatedAnswer,
        _ done: @escaping (SimulatedAnswer.ATTOutcome) -> Void
    ) {
        operations.append(ATTRequest(needs: needs, ask: ask, done: done))
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
        finish(operation, answer.outcome, after: answer.delay ?? deviceState.connection.roundTrip)
    }

    /// Nothing came of a request. bluetoothd calls that an unlikely error, and then ends the link (timeout_cb in src/shared/att.c).
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

    /// The server refuses; bluetoothd asks the kernel for more protection, and tries again with what comes of it
    /// (change_security in src/shared/att.c).
    private func raiseProtection(for operation: ATTRequest) {
        let refusal = SimulatedAnswer.ATTOutcome.error(operation.needs == .authentication ? 0x05 : 0x0F)
        after(deviceState.connection.roundTrip) { [weak self] in
            guard let self else { return }
            device.raiseProtection(to: operation.needs) { [weak self] isBetter in
                // Without success nothing comes of this request, nor of those behind it, as long as the link is up: the
                // kernel takes no more ATT from bluetoothd before the link is protected. Seen on 5.66: the device is temporary
                // again, and goes with its link half a minute later.
                guard let self, isUp, isBetter else { return }
                guard protection >= operation.needs else { return finish(operation, refusal, after: .zero) }
                isBusy = false
                next()
            }
        }
    }
}
