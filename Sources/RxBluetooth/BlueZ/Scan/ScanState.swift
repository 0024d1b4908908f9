/// The state machine of a discovery session with bluetoothd, without bus calls.
///
/// An event changes the state and returns the actions that follow from it, in order. ``ScanSession`` executes them.
struct ScanState: Equatable {
    enum Phase: Equatable {
        case idle
        /// `StartDiscovery` has no reply yet, or is repeated after a pause.
        ///
        /// If `isWanted` is false, no scan needs the session any more, and it is stopped as soon as it has started.
        case starting(refusals: Int, isPausing: Bool, isWanted: Bool)
        case active
        /// `StopDiscovery` has no reply yet. If `isWanted` is true, a new session is started after the reply.
        case stopping(isWanted: Bool)

        /// The phase without its details.
        var step: Step {
            switch self {
            case .idle: .idle
            case .starting: .starting
            case .active: .active
            case .stopping: .stopping
            }
        }

        enum Step { case idle, starting, active, stopping }
    }

    enum Event: Equatable {
        /// A scan was added.
        case wanted
        /// The last scan has ended.
        case unwanted
        case started
        case startFailed(BluetoothError)
        /// The pause before the next `StartDiscovery` is over, or is no longer necessary.
        case pauseEnded
        /// `StopDiscovery` was answered.
        ///
        /// The result does not matter: a session that is gone counts as stopped (Q39).
        case stopped
        /// A late session was stopped. Its `StartDiscovery` had succeeded after the deadline.
        case lateSessionStopped
        /// The session delivers no advertisements any more.
        case silent
        /// The adapter or bluetoothd is gone, and the session with it.
        case lost(BluetoothError)
        /// The manager is closed.
        case closed(BluetoothError)
    }

    enum Action: Equatable {
        /// Sets the filter and starts a session.
        ///
        /// Each start sets the filter, because a new bluetoothd does not have it (Q69).
        case start
        case stop
        case pause(Duration)
        /// Asks the kernel to end a discovery that a killed bluetoothd has left.
        case endOrphanedDiscovery
        /// Stops a late session. Its `StartDiscovery` has succeeded after the deadline.
        case stopLateSession
        case updateFilter
        /// Removes our filter from bluetoothd, because the filter remains after a stop.
        ///
        /// If a client leaves the bus with a filter and no session, bluetoothd stops another program's scan (Q125).
        case clearFilter
        case failScans(BluetoothError)
        case logBegan
        case logRefused(BluetoothError, again: Duration?)
        case logRestarted
        case logEnded(BluetoothError?)
    }

    private(set) var phase = Phase.idle
    /// The number of the session. Replies that belong to an earlier session are ignored.
    private(set) var number = 0
    /// Whether a `StartDiscovery` that timed out may have succeeded later.
    ///
    /// If so, bluetoothd has a session of ours that no scan uses, and refuses another one (Q8, Q37).
    private(set) var mayHaveLateSession = false
    /// Whether bluetoothd has a session that scans use. A restart does not change the value unless it is refused.
    private(set) var isScanning = false

    /// The pauses after refused starts.
    ///
    /// bluetoothd answers InProgress also when the controller refuses for a short time (Q38).
    ///
    /// After bluetoothd is killed, the kernel continues its discovery for 10.24 s, and no signal reports the end of it.
    /// The sum of the pauses is longer than that.
    ///
    /// Source: Linux 6.1, `DISCOV_LE_TIMEOUT`, `start_service_discovery`; BlueZ 5.66, `discovering_callback`.
    static let pauses: [Duration] = [.milliseconds(250)] + Array(repeating: .milliseconds(500), count: 22)

    /// Whether a session exists or is being started.
    var isActive: Bool {
        switch phase {
        case .starting, .active: true
        case .idle, .stopping: false
        }
    }

    /// Whether the session that is being started is no longer needed, so that it is stopped afterwards.
    var isUndoing: Bool {
        if case .starting(_, _, isWanted: false) = phase { true } else { false }
    }

    mutating func handle(_ event: Event) -> [Action] {
        let actions = transition(event)
        switch phase {
        case .active: isScanning = true
        case .starting(refusals: 0, _, isWanted: true), .stopping(isWanted: true): break
        case .idle, .starting, .stopping: isScanning = false
        }
        return actions
    }

    private mutating func transition(_ event: Event) -> [Action] {
        switch event {
        case .wanted: wanted()
        case .unwanted: unwanted()
        case .started: started()
        case .startFailed(let error): startFailed(error)
        case .pauseEnded: pauseEnded()
        case .stopped: stopped()
        case .lateSessionStopped: lateSessionStopped()
        case .silent: phase == .active ? [.logRestarted] + stop(isWanted: true) : []
        case .lost(let error): lost(error)
        case .closed(let error): unwanted() + [.failScans(error)]
        }
    }

    private mutating func wanted() -> [Action] {
        switch phase {
        case .idle: return start()
        case .starting(let refusals, let isPausing, _):
            phase = .starting(refusals: refusals, isPausing: isPausing, isWanted: true)
            return []
        case .active: return [.updateFilter]
        case .stopping:
            phase = .stopping(isWanted: true)
            return []
        }
    }

    private mutating func unwanted() -> [Action] {
        switch phase {
        case .idle: return []
        case .starting(let refusals, let isPausing, _):
            phase = .starting(refusals: refusals, isPausing: isPausing, isWanted: false)
            return []
        case .active: return stop(isWanted: false)
        case .stopping:
            phase = .stopping(isWanted: false)
            return []
        }
    }

    private mutating func start() -> [Action] {
        number += 1
        phase = .starting(refusals: 0, isPausing: false, isWanted: true)
        return [.start]
    }

    private mutating func started() -> [Action] {
        guard case .starting(_, isPausing: false, let isWanted) = phase else { return [] }
        phase = .active
        return [.logBegan] + (isWanted ? [.updateFilter] : stop(isWanted: false))
    }

    private mutating func startFailed(_ error: BluetoothError) -> [Action] {
        guard case .starting(let refusals, isPausing: false, let isWanted) = phase else { return [] }
        let pause = error.kind == .busy && refusals < Self.pauses.count ? Self.pauses[refusals] : nil
        if error.kind == .timedOut { mayHaveLateSession = true }
        var actions = [Action.logRefused(error, again: pause)]
        if !isWanted {
            phase = .idle
            actions += clearFilter()
        } else if let pause {
            phase = .starting(refusals: refusals + 1, isPausing: true, isWanted: true)
            actions.append(.pause(pause))
            if refusals == 0 { actions.append(.endOrphanedDiscovery) }
        } else {
            number += 1
            phase = .idle
            // The filter is cleared before the scans fail, because an error handler may start the next scan at once.
            actions += clearFilter() + [.failScans(error)]
        }
        // While bluetoothd works on a late start, it refuses the stop. So the stop is repeated after each failed start.
        return mayHaveLateSession ? actions + [.stopLateSession] : actions
    }

    private mutating func pauseEnded() -> [Action] {
        guard case .starting(let refusals, isPausing: true, let isWanted) = phase else { return [] }
        phase = isWanted ? .starting(refusals: refusals, isPausing: false, isWanted: true) : .idle
        return isWanted ? [.start] : clearFilter()
    }

    /// Clears the filter after a failed start, unless the stop of a late session must come first.
    private func clearFilter() -> [Action] { mayHaveLateSession ? [] : [.clearFilter] }

    private mutating func stop(isWanted: Bool) -> [Action] {
        phase = .stopping(isWanted: isWanted)
        return [.logEnded(nil), .stop]
    }

    private mutating func stopped() -> [Action] {
        guard case .stopping(let isWanted) = phase else { return [] }
        phase = .idle
        return isWanted ? start() : [.clearFilter]
    }

    private mutating func lateSessionStopped() -> [Action] {
        guard mayHaveLateSession else { return [] }
        mayHaveLateSession = false
        return phase == .idle ? [.clearFilter] : []
    }

    private mutating func lost(_ error: BluetoothError) -> [Action] {
        let wasActive = phase == .active
        number += 1
        phase = .idle
        mayHaveLateSession = false
        return (wasActive ? [.logEnded(error)] : []) + [.failScans(error)]
    }
}
