/// The state of one connection to a peripheral, without the calls that it makes.
///
/// An event changes the state and returns the actions that follow from it, in order. ``Link`` executes them.
/// The transitions stand in `LinkState+Connecting.swift` and `LinkState+Ending.swift`.
struct LinkState: Equatable {
    /// Which program made a link. Closing another program's is not ours to do (Q74).
    enum Maker: Equatable { case thisManager, otherProgram }

    enum Phase: Equatable {
        /// A link of another program that is only known to be closed.
        case adopted
        case connecting(Attempt)
        /// The link is up. It `isReady` once the services are read, if they are awaited.
        case connected(Maker, isReady: Bool)
        /// The link is down, and the cause is being found out.
        case losing(Maker, BluetoothError.DisconnectReason)
        case closing(Closing)
        case ended
    }

    /// Making a link: `Connect` is called until it succeeds, the deadline passes, or nothing more can be done.
    struct Attempt: Equatable {
        var step: Step
        /// Whose link it is that bluetoothd shows, or would be if one came up now.
        var maker: Maker
        /// How often the controller gave the attempt up (Q77).
        var aborts = 0
        /// How often another program's attempt was in the way (Q119).
        var collisions = 0

        enum Step: Equatable {
            /// `Connect` has no answer yet.
            case calling(wasShownConnected: Bool)
            /// `Connect` succeeded, but no link is shown. bluetoothd is asked for one.
            case confirming
            /// The controller gave the attempt up. The next one follows after a pause.
            case pausing
            /// Another program's attempt is under way. After a pause bluetoothd is asked whether it has succeeded.
            case yielding(isAsking: Bool)
            /// bluetoothd has removed the device. A scan brings it back (Q123).
            case rediscovering(isScanning: Bool)
            /// The device is back. The next attempt follows after a pause.
            case rediscovered
        }
    }

    /// Closing a link from our side.
    struct Closing: Equatable {
        let cause: BluetoothError
        let maker: Maker
        /// Whether an attempt is closed, and not an established link.
        let isAttempt: Bool
        /// Whether the link came up although `Connect` failed.
        let hasFailed: Bool
        /// Whether `Connect` has no answer yet. Then a link may still come up.
        var isConnectPending: Bool
        var wait = Wait.disconnectAnswer
        /// Whether the link was shown as down before `Disconnect` was answered.
        var wasShownDown = false
        /// Whether `Disconnect` was repeated, because `Connect` succeeded after the first one.
        var isRepeated = false

        /// What the end of the link waits for.
        enum Wait: Equatable {
            /// `Disconnect` has no answer yet.
            case disconnectAnswer
            /// `Disconnect` has succeeded, and the link is still shown.
            case linkDown
            /// No link is shown, but `Connect` has no answer yet.
            case connectAnswer
        }

        var isDisconnectAnswered: Bool { wait != .disconnectAnswer }
    }

    enum Event: Equatable {
        case start
        case connectAnswered(BluetoothError?)
        /// bluetoothd was asked whether the device is connected after `Connect` had succeeded.
        case linkConfirmed(Bool)
        case confirmationFailed(BluetoothError)
        case pauseEnded
        /// bluetoothd was asked whether another program's attempt has succeeded.
        case otherAttemptAnswered(isConnected: Bool)
        case connectDeadline
        /// The services are read, or why they are not.
        case servicesAwaited(BluetoothError?)
        /// `Connected` of the device has changed.
        case shown(isConnected: Bool)
        /// bluetoothd removed the device.
        case deviceRemoved
        /// A scan has found the removed device.
        case deviceFound
        /// A user, or this manager, closes the link. A forced one closes another program's link too.
        case close(BluetoothError, isForced: Bool)
        case disconnectAnswered(BluetoothError?)
        case disconnectDeadline
        /// The adapter had time to show that it is off.
        case lossDelayEnded
        case adapterAnswered(isGone: Bool)
        /// The adapter, bluetoothd or the bus is gone.
        case lost(BluetoothError)
    }

    enum Action: Equatable {
        case startDeadline, cancelDeadline
        case connect, confirmLink, askAboutOtherAttempt
        case pause(Duration)
        /// Stops waiting for the answer, or the pause, that the attempt waits for.
        case cancelAttempt
        case startRediscovery, stopRediscovery
        case noteAbort
        case logRepeat(aborts: Int)
        /// The link is up: what runs over it may begin.
        case open
        case becomeReady
        /// Fails what runs over the link, and reports that it is being closed.
        case beginClosing(BluetoothError)
        case disconnect
        case failSubscriber(BluetoothError)
        case startDisconnectDeadline, cancelDisconnect
        /// Reports the end of a link that was closed, or why it could not be closed.
        case finishClosing(BluetoothError, failure: BluetoothError?)
        case suspendOperations
        case delayLoss
        case askAdapter(BluetoothError.DisconnectReason)
        /// Ends a lost link for a reason, which an operation that waits for a pairing may change.
        case endLost(BluetoothError.DisconnectReason)
        /// Fails everything with one cause, and reports the end of the link.
        case end(BluetoothError)
    }

    /// What bluetoothd shows when an event occurs.
    struct Facts: Equatable {
        /// `Connected` of the device.
        var isConnected = false
        var isBonded = false
        /// How often in a row `Connect` was given up after the link had come up, over all attempts for the device.
        var aborts = 0
        /// Whether the adapter is there and on.
        var isAdapterOn = true
        /// Why bluetoothd said that the link goes down.
        var announced: BluetoothError.DisconnectReason?
        /// Whether a loss is held back until the adapter had time to show that it is off.
        var delaysLoss = true
    }

    var phase: Phase
    /// Whether a link that another program made is used as if we had made it.
    let takesOver: Bool
    /// Whether the link counts only once its services are read.
    let awaitsServices: Bool
    let target: String

    /// - Parameter maker: Whose link bluetoothd shows; ours if it shows none.
    init(maker: Maker, takesOver: Bool, awaitsServices: Bool, target: String) {
        phase = .connecting(Attempt(step: .calling(wasShownConnected: false), maker: maker))
        self.takesOver = takesOver
        self.awaitsServices = awaitsServices
        self.target = target
    }

    /// A link of another program, to be closed.
    init(adopting target: String) {
        phase = .adopted
        takesOver = false
        awaitsServices = false
        self.target = target
    }

    mutating func handle(_ event: Event, _ facts: Facts) -> [Action] {
        switch event {
        case .start: [.startDeadline, .connect]
        case .connectAnswered(let error): connectAnswered(error, facts)
        case .linkConfirmed(let isConnected): linkConfirmed(isConnected)
        case .confirmationFailed(let error): confirmationFailed(error, facts)
        case .pauseEnded: pauseEnded(facts)
        case .otherAttemptAnswered(let isConnected): otherAttemptAnswered(isConnected)
        case .connectDeadline: connectDeadline(facts)
        case .servicesAwaited(let error): servicesAwaited(error, facts)
        case .shown(let isConnected): shown(isConnected, facts)
        case .deviceRemoved: deviceRemoved(facts)
        case .deviceFound: deviceFound(facts)
        case .close(let cause, let isForced): close(cause, isForced: isForced, facts)
        case .disconnectAnswered(let error): disconnectAnswered(error, facts)
        case .disconnectDeadline: disconnectDeadline()
        case .lossDelayEnded: lossDelayEnded()
        case .adapterAnswered(let isGone): adapterAnswered(isGone)
        case .lost(let cause): lost(cause)
        }
    }

    // MARK: Queries

    /// The phase without its details.
    enum Step { case connecting, connected, losing, closing, ended }

    var step: Step {
        switch phase {
        case .adopted, .connecting: .connecting
        case .connected: .connected
        case .losing: .losing
        case .closing: .closing
        case .ended: .ended
        }
    }

    var isConnecting: Bool { if case .connecting = phase { true } else { false } }
    var isConnected: Bool { if case .connected = phase { true } else { false } }
    var isReady: Bool { if case .connected(_, isReady: true) = phase { true } else { false } }
    /// Whether the link is going down, and the next one may follow it.
    var isEnding: Bool {
        switch phase {
        case .closing, .losing: true
        case .adopted, .connecting, .connected, .ended: false
        }
    }

    /// Whether the link is another program's.
    var isOfOtherProgram: Bool {
        switch phase {
        case .adopted: true
        case .connecting(let attempt): attempt.maker == .otherProgram
        case .connected(let maker, _), .losing(let maker, _): maker == .otherProgram
        case .closing(let closing): closing.maker == .otherProgram
        case .ended: false
        }
    }

    /// Whose link a link of another program counts as.
    var makerOfOthers: Maker { takesOver ? .thisManager : .otherProgram }
}
