/// The state machine of the subscription to the properties of devices, without bus calls.
///
/// An event changes the state and returns the actions to execute, in order; ``DeviceSignals`` executes them.
struct DeviceSignalsState: Equatable {
    /// The steps of the subscription.
    enum Phase: Equatable {
        case subscribed
        /// Nothing needs the signals, and the subscription ends after a pause.
        case ending
        /// The records of the devices become outdated.
        case unsubscribed
        /// The signals are subscribed again, and the properties are being read.
        case reading(failures: Int)
        /// The properties could not be read. The next attempt follows after a pause.
        case failed(failures: Int)
    }

    enum Event: Equatable {
        case needed
        case unneeded
        case timerFired
        case read
        case readFailed
        /// bluetoothd or the bus is lost, or the manager is closed.
        case lost
    }

    enum Action: Equatable {
        case subscribe
        case unsubscribe
        case startTimer(Duration)
        case cancelTimer
        case read
        case cancelReading
        case runWaiting
    }

    private(set) var phase = Phase.subscribed

    /// How long nothing must need the signals before the subscription ends.
    ///
    /// To subscribe again, all objects of bluetoothd are read. So the subscription stays between two short connections.
    static let pause = Duration.seconds(5)
    static let longestPause = Duration.seconds(60)

    /// Whether an operation may use the records of the devices.
    ///
    /// After a failure they are used although they may be outdated: bluetoothd then does not reply to anything.
    var isUsable: Bool {
        switch phase {
        case .subscribed, .ending, .failed: true
        case .unsubscribed, .reading: false
        }
    }

    /// Whether the records of the devices are used although they may be outdated.
    var isOutdated: Bool {
        if case .failed = phase { true } else { false }
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.subscribed, .unneeded):
            phase = .ending
            return [.startTimer(Self.pause)]
        case (.ending, .needed):
            phase = .subscribed
            return [.cancelTimer]
        case (.ending, .timerFired):
            phase = .unsubscribed
            return [.unsubscribe]
        case (.unsubscribed, .needed):
            phase = .reading(failures: 0)
            return [.subscribe, .read]
        case (.reading, .read):
            phase = .subscribed
            return [.runWaiting]
        case (.reading(let failures), .readFailed):
            phase = .failed(failures: failures + 1)
            let pause = Duration.seconds(1).doubled(failures, atMost: Self.longestPause)
            return [.startTimer(pause), .runWaiting]
        case (.failed(let failures), .timerFired):
            phase = .reading(failures: failures)
            return [.read]
        case (_, .lost): return reset()
        default: return []
        }
    }

    /// Returns to the initial state. The snapshot of the next bluetoothd contains all properties.
    private mutating func reset() -> [Action] {
        defer { phase = .subscribed }
        switch phase {
        case .subscribed: return []
        case .ending, .failed: return [.cancelTimer]
        case .unsubscribed: return [.subscribe]
        case .reading: return [.cancelReading, .runWaiting]
        }
    }
}
