import DBus

/// A live link to a peripheral, and the one ATT request at a time that it carries.
final class Link {
    let station: Station
    private unowned let device: Device
    private var operations: [Operation] = []
    private var isBusy = false
    private var isUp = true

    /// An ATT request: what it asks the server, and what becomes of the answer.
    struct Operation {
        let ask: () -> SimulatedAnswer
        let done: (SimulatedAnswer.Outcome) -> Void

        func fail(_ code: UInt8) { done(.error(code)) }
    }

    init(to station: Station, of device: Device) {
        self.station = station
        self.device = device
    }

    var mtu: UInt16 { station.connection.mtu }

    /// Does work after a delay if the link is still up then.
    @discardableResult
    func after(_ delay: Duration, _ work: @escaping () -> Void) -> BusTask {
        device.turns.after(delay) { [weak self] in
            guard let self, isUp else { return }
            work()
        }
    }

    /// Ends the link. Gives what was in flight.
    @discardableResult
    func end() -> [Operation] {
        isUp = false
        station.link = nil
        defer { operations = [] }
        return operations
    }

    func request(_ ask: @escaping () -> SimulatedAnswer, _ done: @escaping (SimulatedAnswer.Outcome) -> Void) {
        operations.append(Operation(ask: ask, done: done))
        next()
    }

    private func next() {
        guard !isBusy, let operation = operations.first else { return }
        isBusy = true
        let answer = operation.ask()
        if case .silence = answer.outcome {
            after(Timing.attTimeout) { [weak self] in self?.device.lost() }
            return
        }
        after(answer.delay ?? station.connection.roundTrip) { [weak self] in
            guard let self else { return }
            operations.removeFirst()
            isBusy = false
            operation.done(answer.outcome)
            next()
        }
    }
}

extension Station {
    /// Whether an attempt to connect would be heard.
    var isReachable: Bool { isInRange && link == nil && report?.isConnectable == true }
}
