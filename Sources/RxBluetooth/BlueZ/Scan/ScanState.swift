/// The state of a discovery session with bluetoothd, without the calls that it makes.
///
/// An event changes the state and returns the actions that follow from it, in order. ``ScanSession`` executes them.
struct ScanState: Equatable {
    enum Phase: Equatable {
        case idle
        /// `StartDiscovery` has no answer yet, or is repeated after a pause.
        ///
        /// If nothing scans any more, the session is stopped as soon as it has started.
        case starting(refusals: Int, isPausing: Bool, isWanted: Bool)
        case active
        /// `StopDiscovery` has no answer yet. If it `isWanted`, a new session is started after it.
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
        /// `StopDiscovery` was answered. Its result does not matter: a session that is gone is stopped too (Q39).
        case stopped
        /// A session that started after its deadline was stopped.
        case lateSessionStopped
        /// The session delivers nothing any more.
        case silent
        /// The adapter or bluetoothd is gone, and the session with it.
        case lost(BluetoothError)
        /// The manager is closed.
        case closed(BluetoothError)
    }

    enum Action: Equatable {
        /// Sets the filter and starts a session. A filter stays after a stop, but not in a new bluetoothd (Q69).
        case start
        case stop
        case pause(Duration)
        /// Asks the kernel to end a discovery that a killed bluetoothd has left.
        case endOrphanedDiscovery
        /// Stops a session that started after its deadline.
        case stopLateSession
        case updateFilter
        /// Removes our filter from bluetoothd, which keeps it after a stop.
        ///
        /// A client that leaves the bus with a filter and no session would stop another program's scan (Q125).
        case clearFilter
        case failScans(BluetoothError)
        case logBegan
        case logRefused(BluetoothError, again: Duration?)
        case logRestarted
        case logEnded(BluetoothError?)
    }

    private(set) var phase = Phase.idle
    /// Counts the sessions. An answer that belongs to an earlier one is ignored.
    private(set) var number = 0
    /// Whether a `StartDiscovery` without an answer in time may have succeeded later.
    ///
    /// Then bluetoothd has a session of ours that nothing uses, and refuses another one (Q8, Q37).
    private(set) var mayHaveLateSession = false

    /// The pauses after refusals. bluetoothd answers InProgress to passing refusals of the controller too (Q38).
    ///
    /// Their sum is more than 10.24 s: so long the kernel continues the discovery of a killed bluetoothd. No signal
    /// reports its end.
    ///
    /// Source: Linux 6.1, `DISCOV_LE_TIMEOUT`, `start_service_discovery`; BlueZ 5.66, `discovering_callback`.
    static let pauses: [Duration] = [.milliseconds(250)] + Array(repeating: .milliseconds(500), count: 22)

    /// Whether a session exists or is about to.
    var isActive: Bool {
        switch phase {
        case .starting, .active: true
        case .idle, .stopping: false
        }
    }

    /// Whether a start that nothing waits for has to be stopped.
    var isUndoing: Bool {
        if case .starting(_, _, isWanted: false) = phase { true } else { false }
    }

    mutating func handle(_ event: Event) -> [Action] {
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
            // First, because an error handler may start the next scan at once.
            actions += clearFilter() + [.failScans(error)]
        }
        // bluetoothd refuses this too while it works on the start, so it is repeated after each refusal.
        return mayHaveLateSession ? actions + [.stopLateSession] : actions
    }

    private mutating func pauseEnded() -> [Action] {
        guard case .starting(let refusals, isPausing: true, let isWanted) = phase else { return [] }
        phase = isWanted ? .starting(refusals: refusals, isPausing: false, isWanted: true) : .idle
        return isWanted ? [.start] : clearFilter()
    }

    /// Clears the filter after a start that failed. If that has left a session, its stop comes first.
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
