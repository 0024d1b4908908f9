/// The state machine that frees attributes after bluetoothd has lost operations on them, without bus calls.
///
/// From 5.67 on, bluetoothd never answers an operation that waits for encryption when the link ends, and the attribute
/// stays busy until bluetoothd removes the device (Q126). ``StaleOperations`` executes the actions.
struct StaleRepair: Equatable {
    enum Phase: Equatable {
        /// The link has ended. bluetoothd may still answer.
        case awaitingAnswers
        /// bluetoothd has not removed the device yet.
        case removing
        case ended
    }

    enum Event: Equatable {
        /// A link has ended, and operations have no answer.
        case linkEnded
        /// A link is about to be made, and bluetoothd has lost operations of an earlier one.
        case deviceNeeded
        /// bluetoothd has answered all operations.
        case answered
        case graceEnded
        case removalAnswered(isRemoved: Bool)
        /// bluetoothd no longer has the device, or is gone.
        case deviceRemoved
    }

    enum Action: Equatable {
        case startGrace, cancelGrace
        case removeDevice
        /// Records that bluetoothd has lost the operations, so that their attributes are not used again.
        case record
        case finish
    }

    /// The facts that bluetoothd shows when an event occurs.
    struct Facts: Equatable {
        var isShown = true
        var isBonded = false
        var isConnected = false
        /// Whether the adapter is on. bluetoothd removes no device of an adapter that is off.
        var isAdapterOn = true
        /// Whether removing the device may crash bluetoothd, after a socket that was not opened (Q132).
        var mayRemovalCrash = false

        /// Whether removing the device loses nothing else.
        var allowsRemoval: Bool { isShown && !isBonded && !isConnected && isAdapterOn && !mayRemovalCrash }
    }

    private(set) var phase = Phase.ended

    mutating func handle(_ event: Event, _ facts: Facts) -> [Action] {
        switch (phase, event) {
        case (.ended, .linkEnded):
            phase = .awaitingAnswers
            return [.startGrace]
        case (.ended, .deviceNeeded):
            guard facts.allowsRemoval else { return [.finish] }
            phase = .removing
            return [.removeDevice]
        case (.awaitingAnswers, .answered), (.awaitingAnswers, .deviceRemoved):
            phase = .ended
            return [.cancelGrace, .finish]
        case (.awaitingAnswers, .graceEnded):
            guard facts.allowsRemoval else {
                phase = .ended
                return facts.isShown ? [.record, .finish] : [.finish]
            }
            phase = .removing
            return [.removeDevice]
        case (.removing, .removalAnswered(let isRemoved)):
            phase = .ended
            return isRemoved ? [.finish] : [.record, .finish]
        default: return []
        }
    }
}
