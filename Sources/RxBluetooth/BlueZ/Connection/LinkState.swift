/// The state machine of a connection to a peripheral, without bus calls.
///
/// An event changes the state and returns the actions to execute, in order; ``Link`` executes them.
/// `LinkState+Connecting.swift` and `LinkState+Ending.swift` contain the transitions.
struct LinkState: Equatable {
    /// The program that made a link. We do not close another program's link (Q74).
    enum Maker: Equatable { case thisManager, otherProgram }

    /// The phase of the connection.
    enum Phase: Equatable {
        /// A link of another program, adopted only to close it.
        case adopted
        case connecting(Attempt)
        /// The link is up. `isReady` is true at once, or, if services are awaited, when they have been read.
        case connected(Maker, isReady: Bool)
        /// The link is down, and the cause is not known yet.
        case losing(Maker, BluetoothError.DisconnectReason)
        case closing(Closing)
        case ended
    }

    /// The making of a link: `Connect` is repeated until success, the deadline, or a final failure.
    struct Attempt: Equatable {
        var step: Step
        /// The program that made the link that bluetoothd shows; if there is none, the maker of the next link.
        var maker: Maker
        /// How often the controller gave up the attempt (Q77).
        var aborts = 0
        /// How often another program's attempt was in progress (Q119).
        var collisions = 0
        /// Whether bluetoothd did not have the device when the attempt began, and has not shown it yet.
        var wasNeverShown = false
        /// Whether bluetoothd had removed the device when the attempt began, and has not shown it since.
        var wasRemoved = false
        var earlierConnect = EarlierConnect.none

        /// The `Connect` that was sent before the device was removed.
        enum EarlierConnect: Equatable {
            /// There is none, or it failed, or its link has ended.
            case none
            case pending
            /// It has made the link that is shown.
            case succeeded
        }

        /// The step of an attempt.
        enum Step: Equatable {
            /// `Connect` has no answer yet.
            case calling(wasShownConnected: Bool)
            /// `Connect` succeeded, but no link is shown. `Connected` is being read.
            case confirming
            /// The controller gave up the attempt. The next one follows after a pause.
            case pausing
            /// Another program's attempt is in progress. After a pause, `Connected` is read to find its result.
            case yielding(isReading: Bool)
            /// bluetoothd has removed the device. A scan brings it back (Q123).
            case rediscovering(isScanning: Bool)
            /// `ConnectDevice` has no answer yet. bluetoothd does not have the device.
            case reaching
            /// The device is back. The next attempt follows after a pause.
            case rediscovered
        }
    }

    /// The closing of a link by this manager.
    struct Closing: Equatable {
        let cause: BluetoothError
        let maker: Maker
        /// Whether the closing cancels an attempt to connect, instead of closing an established link.
        let isAttempt: Bool
        /// Whether the link came up although `Connect` failed.
        let hasFailed: Bool
        /// Whether `Connect` has no answer yet, so that a link may still come up.
        var isConnectPending: Bool
        /// Whether that `Connect` was sent before the device was removed.
        var isEarlierConnect = false
        var wait = Wait.disconnectAnswer
        /// Whether the link was shown as down before `Disconnect` was answered.
        var wasShownDown = false
        /// Whether `Disconnect` was repeated, because `Connect` succeeded after the first `Disconnect`.
        var isRepeated = false

        /// The event that ends the closing.
        enum Wait: Equatable {
            /// `Disconnect` has no answer yet.
            case disconnectAnswer
            /// `Disconnect` has succeeded, and the link is still shown.
            case linkDown
            /// No link is shown, but `Connect` has no answer yet.
            case connectAnswer
            /// `RemoveDevice` has succeeded. The next connection must not begin with a device that disappears.
            case deviceRemoval
        }

        var isDisconnectAnswered: Bool { wait != .disconnectAnswer }
    }

    /// The answer to `ConnectDevice`.
    enum DeviceAnswer: Equatable {
        case connected
        /// bluetoothd does not have the method.
        case notOffered
        case failed(BluetoothError)
    }

    /// An input of the state machine.
    enum Event: Equatable {
        case start
        case connectDeviceAnswered(DeviceAnswer)
        case connectAnswered(BluetoothError?)
        /// The `Connect` that was sent before the device was removed was answered.
        case earlierConnectAnswered(isSuccess: Bool)
        /// `Connected` was read after `Connect` had succeeded.
        case linkConfirmed(Bool)
        case confirmationFailed(BluetoothError)
        case pauseEnded
        /// `Connected` was read to find the result of another program's attempt.
        case otherAttemptAnswered(isConnected: Bool)
        case connectDeadline
        /// The services are read, or reading them failed.
        case servicesAwaited(BluetoothError?)
        /// `Connected` of the device has changed.
        case shown(isConnected: Bool)
        /// bluetoothd removed the device.
        case deviceRemoved
        /// A scan has found the removed device.
        case deviceFound
        /// The user or this manager closes the link. If forced, another program's link is closed as well.
        case close(BluetoothError, isForced: Bool)
        case disconnectAnswered(BluetoothError?)
        /// `RemoveDevice`, which was called instead of `Disconnect`, has succeeded.
        case removalAnswered
        case disconnectDeadline
        /// The delay after a link loss is over. By now, an adapter that is off is shown as off.
        case lossDelayEnded
        case adapterAnswered(isGone: Bool)
        /// The adapter, bluetoothd or the bus is gone.
        case lost(BluetoothError)
    }

    /// An output of the state machine.
    enum Action: Equatable {
        case startDeadline, cancelDeadline
        case connect, connectDevice, confirmLink, readOtherAttemptResult
        /// Cancels a pairing that bluetoothd may have kept after the end of its link.
        case cancelKeptPairing
        case pause(Duration)
        /// Stops waiting for the reply or the pause of the attempt.
        case cancelAttempt
        /// Waits for the reply to `Connect` beside the next steps.
        case keepConnect
        case startRediscovery, stopRediscovery
        case recordAbort
        case logRepeat(aborts: Int)
        /// The link is up, so its users may begin.
        case open
        case becomeReady
        /// Fails the users of the link, and reports that the link is being closed.
        case beginClosing(BluetoothError)
        case disconnect
        case failSubscriber(BluetoothError)
        case startDisconnectDeadline, cancelDisconnect
        /// Reports the end of a closed link, with the error if it could not be closed.
        case finishClosing(BluetoothError, failure: BluetoothError?)
        case suspendOperations
        case delayLoss
        case readAdapterPower(BluetoothError.DisconnectReason)
        /// Ends a lost link with a reason. ``Link`` may replace the reason if an operation waits for a pairing.
        case endLost(BluetoothError.DisconnectReason, isShared: Bool)
        /// Fails the users of the link with one cause, and reports the end of the link.
        case end(BluetoothError)
    }

    /// The facts that bluetoothd shows when an event occurs.
    struct Facts: Equatable {
        /// `Connected` of the device.
        var isConnected = false
        /// Whether bluetoothd has the device, with the requested kind of address.
        var isShown = false
        var isBonded = false
        /// Whether bluetoothd may have kept a pairing after the end of the last link (Q136).
        var mayKeepPairing = false
        /// Whether the last link was aborted after it had come up, in this or an earlier attempt for the device.
        var wasAborted = false
        /// Whether the adapter exists and is on.
        var isAdapterOn = true
        /// The reason that bluetoothd announced for the end of the link.
        var announcedReason: BluetoothError.DisconnectReason?
        /// Whether a loss is delayed until the adapter has had time to show that it is off.
        var isLossDelayed = true
    }

    var phase: Phase
    /// Whether a link that another program made counts as made by this manager.
    let takesOver: Bool
    /// Whether the link becomes ready only when its services are read.
    let awaitsServices: Bool
    /// Whether a link that is ready stays open when the connection ends.
    var keepsOpen = false
    let target: String

    /// - Parameter maker: The maker of the link that bluetoothd shows; `thisManager` if it shows none.
    init(maker: Maker, takesOver: Bool, awaitsServices: Bool, target: String) {
        phase = .connecting(Attempt(step: .calling(wasShownConnected: false), maker: maker))
        self.takesOver = takesOver
        self.awaitsServices = awaitsServices
        self.target = target
    }

    /// Connects by address to a device that bluetoothd does not have.
    init(reaching target: String, takesOver: Bool, awaitsServices: Bool) {
        phase = .connecting(Attempt(step: .reaching, maker: .thisManager))
        self.takesOver = takesOver
        self.awaitsServices = awaitsServices
        self.target = target
    }

    /// Connects to a device that bluetoothd has removed, as soon as a scan finds it.
    init(finding target: String, takesOver: Bool, awaitsServices: Bool) {
        phase = .connecting(Attempt(step: .rediscovering(isScanning: true), maker: .thisManager, wasRemoved: true))
        self.takesOver = takesOver
        self.awaitsServices = awaitsServices
        self.target = target
    }

    /// Adopts a link of another program, to close it.
    init(adopting target: String) {
        phase = .adopted
        takesOver = false
        awaitsServices = false
        self.target = target
    }

    mutating func handle(_ event: Event, _ facts: Facts) -> [Action] {
        switch event {
        case .start: start()
        case .connectDeviceAnswered(let answer): connectDeviceAnswered(answer, facts)
        case .connectAnswered(let error): connectAnswered(error, facts)
        case .earlierConnectAnswered(let isSuccess): earlierConnectAnswered(isSuccess, facts)
        case .linkConfirmed(let isConnected): linkConfirmed(isConnected, facts)
        case .confirmationFailed(let error): confirmationFailed(error, facts)
        case .pauseEnded: pauseEnded(facts)
        case .otherAttemptAnswered(let isConnected): otherAttemptAnswered(isConnected, facts)
        case .connectDeadline: connectDeadline(facts)
        case .servicesAwaited(let error): servicesAwaited(error, facts)
        case .shown(let isConnected): shown(isConnected, facts)
        case .deviceRemoved: deviceRemoved(facts)
        case .deviceFound: deviceFound(facts)
        case .close(let cause, let isForced): close(cause, isForced: isForced, facts)
        case .disconnectAnswered(let error): disconnectAnswered(error, facts)
        case .removalAnswered: removalAnswered()
        case .disconnectDeadline: disconnectDeadline()
        case .lossDelayEnded: lossDelayEnded()
        case .adapterAnswered(let isGone): adapterAnswered(isGone, facts)
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
    /// Whether the link is ending, so that another one may follow it.
    var isEnding: Bool {
        switch phase {
        case .closing, .losing: true
        case .adopted, .connecting, .connected, .ended: false
        }
    }

    /// Whether another program made the link.
    var isMadeByOtherProgram: Bool {
        switch phase {
        case .adopted: true
        case .connecting(let attempt): attempt.maker == .otherProgram
        case .connected(let maker, _), .losing(let maker, _): maker == .otherProgram
        case .closing(let closing): closing.maker == .otherProgram
        case .ended: false
        }
    }

    /// The maker that is recorded for a link of another program.
    var makerOfOtherProgramsLinks: Maker { takesOver ? .thisManager : .otherProgram }
}
