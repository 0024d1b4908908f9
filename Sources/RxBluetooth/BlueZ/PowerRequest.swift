/// The state machine of a request to switch an adapter on or off, without bus calls.
///
/// An event changes the state and returns the actions to execute, in order; ``AdapterControl`` executes them.
struct PowerRequest: Equatable {
    /// The step of the request.
    enum Phase: Equatable {
        case waiting
        /// Setting `Powered` has no reply yet.
        case calling
        /// Another program is switching the adapter. The next call follows after a pause.
        case pausing
        /// bluetoothd has accepted the request, but does not show the state yet (Q31).
        case confirming
        case ended
    }

    enum Event: Equatable {
        case start
        case answered(BluetoothError?)
        case pauseEnded
        /// The properties of the adapter have changed.
        case shown
        case deadline
        /// The adapter, bluetoothd or the bus is gone, or the manager is closed.
        case lost(BluetoothError)
    }

    enum Action: Equatable {
        case startDeadline
        case call
        case pause(Duration)
        case finish(BluetoothError?)
    }

    /// The power of the adapter that bluetoothd shows.
    struct Facts: Equatable {
        var isPowered: Bool
        var powerState: String?

        var isBlocked: Bool { !isPowered && powerState == "off-blocked" }
        /// Whether any program is switching the adapter.
        var isChanging: Bool { powerState == "on-disabling" || powerState == "off-enabling" }

        func isSettled(_ isOn: Bool) -> Bool { isPowered == isOn && !isChanging }
    }

    let isOn: Bool
    private(set) var phase = Phase.waiting

    init(_ isOn: Bool) { self.isOn = isOn }

    /// The pause before a repetition while another program switches the adapter.
    static let pause = Duration.milliseconds(250)

    mutating func handle(_ event: Event, _ facts: Facts) -> [Action] {
        switch (event, phase) {
        case (.start, .waiting):
            let actions = send(facts)
            return phase == .calling ? [.startDeadline] + actions : actions
        case (.answered(nil), .calling):
            phase = .confirming
            return confirm(facts)
        case (.answered(let error?), .calling) where error.kind == .busy:
            phase = .pausing
            return [.pause(Self.pause)]
        case (.answered(let error?), .calling):
            return finish(isOn && facts.isBlocked ? BluetoothError(.blocked, after: error) : error)
        case (.pauseEnded, .pausing): return send(facts)
        case (.shown, .confirming): return confirm(facts)
        case (_, .ended): return []
        case (.deadline, _): return finish(BluetoothError(.timedOut))
        case (.lost(let error), _): return finish(error)
        default: return []
        }
    }

    private mutating func send(_ facts: Facts) -> [Action] {
        if facts.isSettled(isOn) { return finish(nil) }
        if isOn, facts.isBlocked { return finish(BluetoothError(.blocked)) }
        phase = .calling
        return [.call]
    }

    private mutating func confirm(_ facts: Facts) -> [Action] {
        if facts.isSettled(isOn) { return finish(nil) }
        return isOn && facts.isBlocked ? finish(BluetoothError(.blocked)) : []
    }

    private mutating func finish(_ error: BluetoothError?) -> [Action] {
        phase = .ended
        return [.finish(error)]
    }
}
