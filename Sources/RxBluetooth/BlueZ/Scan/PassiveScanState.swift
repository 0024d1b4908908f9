/// The state machine of the passive scans on an adapter, without bus calls.
///
/// bluetoothd reads a monitor from an application of ours, and activates or releases it. An event changes the state and
/// returns the actions that follow from it, in order. ``PassiveScanSession`` executes them.
struct PassiveScanState: Equatable {
    enum Phase: Equatable {
        case idle
        /// `RegisterMonitor` has no reply yet, or the monitor is not active yet.
        case starting(isRegistered: Bool)
        /// A monitor is active. If `isReplacing` is true, another one that replaces it is not active yet.
        case active(isReplacing: Bool)
        /// bluetoothd has released the active monitor, and the reason is being determined.
        case ending
        /// `UnregisterMonitor` has no reply yet. If `isWanted` is true, a new application is registered afterwards.
        case stopping(isWanted: Bool)

        /// The phase without its details.
        var step: Step {
            switch self {
            case .idle: .idle
            case .starting: .starting
            case .active, .ending: .active
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
        /// The patterns of the scans differ from those of the monitor.
        case patternsChanged
        case registered
        case registerFailed(BluetoothError)
        /// bluetoothd has activated the monitor that was added last.
        case activated
        /// bluetoothd has released the monitor that was added last, or has not activated it before the deadline.
        case refused(BluetoothError)
        /// bluetoothd has released the active monitor.
        case released
        /// The reason for the release is known.
        case releaseExplained(BluetoothError)
        /// `UnregisterMonitor` was answered. The result does not matter: an application that is gone is unregistered.
        case unregistered
        /// The monitor reports no advertisements any more.
        case silent
        /// The adapter cannot be used any more, or bluetoothd is gone.
        ///
        /// If `isRegistered` is true, bluetoothd still has the application and would use it later.
        case lost(BluetoothError, isRegistered: Bool)
        /// The manager is closed.
        case closed(BluetoothError)
    }

    enum Action: Equatable {
        /// Exports the application with a monitor, and registers it.
        case register
        /// Removes the application, and unregisters it.
        case unregister
        /// Removes the application without a call, because bluetoothd does not have it.
        case removeApplication
        /// Starts the deadline of `Activate`.
        case awaitActivation
        /// Adds a monitor with the present patterns, and starts the deadline of `Activate`.
        case addMonitor
        /// Removes the monitor that the new one replaces, if there is one.
        case useNewMonitor
        /// Removes the new monitor. The other one continues.
        case removeNewMonitor
        /// Compares the patterns of the scans with those of the monitor.
        case updateMonitor
        /// Reads from bluetoothd why it has released the monitor.
        case explainRelease
        case failScans(BluetoothError)
        /// Fails the scans with patterns that the active monitor does not have.
        case failNewScans(BluetoothError)
        case logBegan
        case logRefused(BluetoothError)
        case logRestarted
        case logEnded(BluetoothError?)
    }

    private(set) var phase = Phase.idle
    /// The number of the application. Replies that belong to an earlier application are ignored.
    private(set) var number = 0

    /// Whether the deadline of `Activate` runs.
    var awaitsActivation: Bool {
        phase == .starting(isRegistered: true) || phase == .active(isReplacing: true)
    }

    var isActive: Bool { phase.step == .active && phase != .ending }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .wanted: return wanted()
        case .unwanted: return unwanted()
        case .patternsChanged: return replaceMonitor()
        case .registered:
            guard phase == .starting(isRegistered: false) else { return [] }
            phase = .starting(isRegistered: true)
            return [.awaitActivation]
        case .registerFailed(let error): return registerFailed(error)
        case .activated: return activated()
        case .refused(let error): return refused(error)
        case .released:
            guard isActive else { return [] }
            phase = .ending
            return [.explainRelease]
        case .releaseExplained(let error):
            guard phase == .ending else { return [] }
            return stop(error) + [.failScans(error)]
        case .unregistered:
            guard case .stopping(let isWanted) = phase else { return [] }
            phase = .idle
            return isWanted ? start() : []
        case .silent:
            let actions = replaceMonitor()
            return actions.isEmpty ? [] : [.logRestarted] + actions
        case .lost(let error, let isRegistered): return lost(error, isRegistered)
        case .closed(let error): return unwanted() + [.failScans(error)]
        }
    }

    private mutating func wanted() -> [Action] {
        switch phase {
        case .idle: return start()
        case .starting, .ending: return []
        case .active: return [.updateMonitor]
        case .stopping:
            phase = .stopping(isWanted: true)
            return []
        }
    }

    private mutating func unwanted() -> [Action] {
        switch phase {
        case .idle: return []
        case .starting, .active, .ending: return stop(nil)
        case .stopping:
            phase = .stopping(isWanted: false)
            return []
        }
    }

    private mutating func start() -> [Action] {
        number += 1
        phase = .starting(isRegistered: false)
        return [.register]
    }

    /// Unregisters the application.
    ///
    /// bluetoothd has the application before it answers `RegisterMonitor`, so it need not be waited for.
    private mutating func stop(_ error: BluetoothError?) -> [Action] {
        let wasActive = phase.step == .active
        phase = .stopping(isWanted: false)
        return (wasActive ? [.logEnded(error)] : []) + [.unregister]
    }

    private mutating func replaceMonitor() -> [Action] {
        guard phase == .active(isReplacing: false) else { return [] }
        phase = .active(isReplacing: true)
        return [.addMonitor]
    }

    private mutating func registerFailed(_ error: BluetoothError) -> [Action] {
        guard phase == .starting(isRegistered: false) else { return [] }
        // A registration that timed out may take effect later (Q8).
        if error.kind == .timedOut { return [.logRefused(error)] + stop(nil) + [.failScans(error)] }
        phase = .idle
        return [.logRefused(error), .removeApplication, .failScans(error)]
    }

    private mutating func activated() -> [Action] {
        switch phase {
        case .starting:
            phase = .active(isReplacing: false)
            return [.logBegan, .useNewMonitor, .updateMonitor]
        case .active(isReplacing: true):
            phase = .active(isReplacing: false)
            return [.useNewMonitor, .updateMonitor]
        case .idle, .active, .ending, .stopping: return []
        }
    }

    private mutating func refused(_ error: BluetoothError) -> [Action] {
        switch phase {
        case .starting: return [.logRefused(error)] + stop(nil) + [.failScans(error)]
        case .active(isReplacing: true):
            phase = .active(isReplacing: false)
            return [.logRefused(error), .removeNewMonitor, .failNewScans(error)]
        case .idle, .active, .ending, .stopping: return []
        }
    }

    private mutating func lost(_ error: BluetoothError, _ isRegistered: Bool) -> [Action] {
        if isRegistered {
            switch phase {
            case .starting, .active, .ending: return stop(error) + [.failScans(error)]
            case .idle, .stopping: return unwanted() + [.failScans(error)]
            }
        }
        let wasActive = phase.step == .active
        number += 1
        phase = .idle
        return (wasActive ? [.logEnded(error)] : []) + [.removeApplication, .failScans(error)]
    }
}
