import DBus

/// The state machine of one pairing, without bus calls.
///
/// An event changes the state and returns the actions that follow from it, in order. ``PairingAttempt`` executes them.
struct PairingState: Equatable {
    enum Phase: Equatable {
        /// This pairing waits until another pairing that may cause requests has ended.
        case waiting
        case preparing(Preparation)
        /// `Pair` has no answer yet.
        case pairing
        /// All streams have ended. `CancelPairing` has no reply yet.
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
        /// The agent is registered first, because bluetoothd gives its capability to the kernel (Q90).
        case registeringAgent
        case awaitingLink
        /// The services are read before `Pair`, because the kernel may lose ATT replies during a pairing.
        ///
        /// bluetoothd answers `Pair` only after it has read the services (Q88).
        case readingServices
    }

    enum Event: Equatable {
        /// No other pairing has to end before this one.
        case turnCame(isBonded: Bool)
        case agentRegistered(BluetoothError?)
        /// A link that this pairing could not use is closed.
        case unusableLinkClosed
        case linkUp
        /// The services are read, or cannot be read.
        case servicesAwaited(isConnected: Bool, isBonded: Bool)
        case answered(BluetoothError?, isConnected: Bool)
        /// The link has ended before the pairing. If the pairing is kept, bluetoothd does not answer `Pair` (Q136).
        case linkEnded(BluetoothError, isPairingKept: Bool)
        /// The pairing fails for a reason other than a reply to `Pair`.
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

    /// Whether the pairing has ended for all streams. `CancelPairing` may still have no reply.
    var isOver: Bool { phase == .undoing || phase == .ended }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .turnCame(let isBonded): turnCame(isBonded)
        case .agentRegistered(let error): agentRegistered(error)
        case .unusableLinkClosed: phase == .preparing(.awaitingLink) ? [.findLink] : []
        case .linkUp: linkUp()
        case .servicesAwaited(let isConnected, let isBonded): servicesAwaited(isConnected, isBonded)
        case .answered(let error, let isConnected): answered(error, isConnected)
        case .linkEnded(let cause, let isPairingKept): linkEnded(cause, isPairingKept)
        case .failed(let error): fail(error)
        case .unwanted: isOver ? [] : undo()
        case .cancelled: cancelled()
        }
    }

    private mutating func turnCame(_ isBonded: Bool) -> [Action] {
        guard phase == .waiting else { return [] }
        // If the device was bonded while this pairing waited, `Pair` is not called: it would have no reply (Q118).
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
        // If the link is lost, the event `linkEnded` follows and ends the pairing.
        guard phase == .preparing(.readingServices), isConnected else { return [] }
        // If connecting or reading the services has made the bond, `Pair` is not called (Q118).
        if isBonded { return end(nil) }
        phase = .pairing
        return [.pair]
    }

    private mutating func answered(_ error: BluetoothError?, _ isConnected: Bool) -> [Action] {
        guard phase == .pairing else { return [] }
        // AlreadyExists counts as success: the device is paired without a bond, over both bearers, or by another
        // program (Q89).
        guard let error, error.kind != .alreadyDone else { return [.logPaired] + end(nil) }
        // If the link or the bus is lost, this reply has no cause. The later event that reports the loss ends the
        // pairing (S59).
        if !isConnected || error.dbusName == DBusError.Name.disconnected { return [] }
        // After a time-out, the pairing is cancelled in bluetoothd, which would otherwise continue it (Q8).
        return error.kind == .timedOut ? fail(error) : end(error)
    }

    private mutating func linkEnded(_ cause: BluetoothError, _ isPairingKept: Bool) -> [Action] {
        guard phase == .pairing || phase.step == .preparing else { return [] }
        return phase == .pairing && isPairingKept ? fail(cause) : end(cause)
    }

    /// Ends the pairing if bluetoothd has nothing to undo.
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
