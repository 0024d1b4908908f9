import DBus

/// The state of one pairing, without the calls that it makes.
///
/// An event changes the state and returns the actions that follow from it, in order. ``PairingAttempt`` executes them.
struct PairingState: Equatable {
    enum Phase: Equatable {
        /// Another pairing may get requests, and this one waits for its end.
        case waiting
        case preparing(Preparation)
        /// `Pair` has no answer yet.
        case pairing
        /// All streams have ended. `CancelPairing` has no answer yet.
        case undoing
        case ended

        /// The phase without its details.
        var step: Step {
            switch self {
            case .waiting: .waiting
            case .preparing: .preparing
            case .pairing: .pairing
            case .undoing: .undoing
            case .ended: .ended
            }
        }

        enum Step { case waiting, preparing, pairing, undoing, ended }
    }

    /// What has to be complete before `Pair` is called.
    enum Preparation: Equatable {
        /// bluetoothd gives the agent's capability to the kernel, so the agent is first (Q90).
        case registeringAgent
        case awaitingLink
        /// bluetoothd reads them before it answers `Pair`, and the kernel may lose ATT replies during a pairing (Q88).
        case readingServices
    }

    enum Event: Equatable {
        /// No other pairing is in the way.
        case turnCame(isBonded: Bool)
        case agentRegistered(BluetoothError?)
        /// A link that could not be used is closed.
        case unusableLinkClosed
        case linkUp
        /// The services are read, or cannot be read.
        case servicesAwaited(isConnected: Bool, isBonded: Bool)
        case answered(BluetoothError?, isConnected: Bool)
        /// The link has ended before the pairing.
        case linkEnded(BluetoothError)
        /// The pairing fails for a reason of this manager.
        case failed(BluetoothError)
        /// The last subscription has ended.
        case unwanted
        /// `CancelPairing` was answered, or is not necessary. Its result does not matter.
        case cancelled
    }

    enum Action: Equatable {
        case startDeadline
        case registerAgent
        /// Uses the link to the peripheral, or makes one.
        case findLink
        case readServices
        case pair
        case logPaired
        /// Completes all streams, or fails them.
        case endStreams(BluetoothError?)
        case cancelPairing
        /// Releases the link, and closes it if it was made for this pairing.
        case release
    }

    private(set) var phase = Phase.waiting

    /// Whether nothing can pair any more, although bluetoothd may still have to be informed.
    var isOver: Bool { phase == .undoing || phase == .ended }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .turnCame(let isBonded): turnCame(isBonded)
        case .agentRegistered(let error): agentRegistered(error)
        case .unusableLinkClosed: phase == .preparing(.awaitingLink) ? [.findLink] : []
        case .linkUp: linkUp()
        case .servicesAwaited(let isConnected, let isBonded): servicesAwaited(isConnected, isBonded)
        case .answered(let error, let isConnected): answered(error, isConnected)
        case .linkEnded(let cause): phase == .pairing || phase.step == .preparing ? end(cause) : []
        case .failed(let error): fail(error)
        case .unwanted: isOver ? [] : undo()
        case .cancelled: cancelled()
        }
    }

    private mutating func turnCame(_ isBonded: Bool) -> [Action] {
        guard phase == .waiting else { return [] }
        // Another program, or a protected attribute, has paired the device in the meantime (Q118).
        if isBonded { return end(nil) }
        phase = .preparing(.registeringAgent)
        return [.startDeadline, .registerAgent]
    }

    private mutating func agentRegistered(_ error: BluetoothError?) -> [Action] {
        guard phase == .preparing(.registeringAgent) else { return [] }
        if let error { return fail(error) }
        phase = .preparing(.awaitingLink)
        return [.findLink]
    }

    private mutating func linkUp() -> [Action] {
        guard phase == .preparing(.awaitingLink) else { return [] }
        phase = .preparing(.readingServices)
        return [.readServices]
    }

    private mutating func servicesAwaited(_ isConnected: Bool, _ isBonded: Bool) -> [Action] {
        // Without a link, the event of its end follows.
        guard phase == .preparing(.readingServices), isConnected else { return [] }
        // The link, or the reading of its services, may have made the bond (Q118).
        if isBonded { return end(nil) }
        phase = .pairing
        return [.pair]
    }

    private mutating func answered(_ error: BluetoothError?, _ isConnected: Bool) -> [Action] {
        guard phase == .pairing else { return [] }
        // It is paired already: without a bond, over both bearers, or by another program a moment ago (Q89).
        guard let error, error.kind != .alreadyDone else { return [.logPaired] + end(nil) }
        // The answer only says that the pairing was cancelled. The end of the link, or of the bus, has the cause (S59).
        if !isConnected || error.dbusName == DBusError.Name.disconnected { return [] }
        // bluetoothd continues a pairing that timed out here (Q8).
        return error.kind == .timedOut ? fail(error) : end(error)
    }

    /// Ends with an answer: bluetoothd has nothing to undo.
    private mutating func end(_ error: BluetoothError?) -> [Action] {
        phase = .ended
        return [.endStreams(error), .release]
    }

    private mutating func fail(_ error: BluetoothError) -> [Action] {
        isOver ? [] : [.endStreams(error)] + undo()
    }

    private mutating func undo() -> [Action] {
        let isPairing = phase == .pairing
        phase = isPairing ? .undoing : .ended
        return [isPairing ? .cancelPairing : .release]
    }

    private mutating func cancelled() -> [Action] {
        guard phase == .undoing else { return [] }
        phase = .ended
        return [.release]
    }
}
