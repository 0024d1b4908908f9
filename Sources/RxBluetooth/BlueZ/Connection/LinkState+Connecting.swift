/// Making a link.
extension LinkState {
    /// How often an attempt that the controller gave up is repeated. The ninth failure is reported (Q77).
    private static let mostAborts = 8
    static let pause = Duration.milliseconds(250)
    private static let longestYield = Duration.seconds(1)

    mutating func connectAnswered(_ error: BluetoothError?, _ facts: Facts) -> [Action] {
        guard case .connecting(let attempt) = phase else { return connectAnsweredWhileClosing(error, facts) }
        guard case .calling(let wasShownConnected) = attempt.step else { return [] }
        guard let error else { return confirm(attempt, facts) }
        let isOthersLink = attempt.maker == .otherProgram || error.isCollision && attempt.collisions > 0
        switch error {
        // bluetoothd's documents announce this error; what it really answers is success (Q80).
        case _ where error.kind == .alreadyConnected: return confirm(attempt, facts)
        // It refuses to connect what another program has connected a moment ago. That link can be used (Q74).
        case _ where facts.isConnected && isOthersLink: return confirm(attempt, facts)
        case _ where error.isCollision: return yield(attempt, facts)
        case _ where wasShownConnected && facts.isBonded && error.dbusMessage == "br-connection-canceled":
            return giveUp(BluetoothError(.bondLost, after: error), facts)
        case _ where wasShownConnected && facts.isBonded && error.dbusMessage == "le-connection-abort-by-local":
            // Only an abort that comes twice in a row is a lost bond, because a controller also aborts by itself (Q77, Q87).
            let isBondLost = facts.aborts + 1 > 1
            let actions = isBondLost ? giveUp(BluetoothError(.bondLost, after: error), facts) : aborted(error, facts)
            return [.noteAbort] + actions
        case _ where error.isAbortedConnection: return aborted(error, facts)
        // The daemon is still trying, so it has to be stopped (Q8).
        case _ where error.kind == .timedOut: return close(error, isForced: false, facts, isConnectPending: false)
        default: return giveUp(error, facts)
        }
    }

    /// Our attempt failed. If the device is connected all the same, our attempt made that link, and we close it.
    private mutating func giveUp(_ error: BluetoothError, _ facts: Facts) -> [Action] {
        guard facts.isConnected else { return end(error) }
        return close(error, isForced: false, facts, isConnectPending: false, hasFailed: true)
    }

    /// The reply decides (Q78). If no link is shown, bluetoothd is asked for it.
    private mutating func confirm(_ attempt: Attempt, _ facts: Facts) -> [Action] {
        if facts.isConnected { return open(attempt) }
        continueAttempt(attempt, .confirming)
        return [.confirmLink]
    }

    mutating func linkConfirmed(_ isConnected: Bool) -> [Action] {
        guard case .connecting(let attempt) = phase, attempt.step == .confirming else { return [] }
        return isConnected ? open(attempt) : end(BluetoothError(.disconnected(.unknown)))
    }

    /// There may be a link all the same, and then it is ours to close.
    mutating func confirmationFailed(_ error: BluetoothError, _ facts: Facts) -> [Action] {
        guard case .connecting(let attempt) = phase, attempt.step == .confirming else { return [] }
        return close(error, isForced: false, facts, isConnectPending: false)
    }

    private mutating func open(_ attempt: Attempt) -> [Action] {
        phase = .connected(attempt.maker, isReady: !awaitsServices)
        return [.stopRediscovery, .cancelDeadline, .open] + (awaitsServices ? [] : [.becomeReady])
    }

    mutating func servicesAwaited(_ error: BluetoothError?, _ facts: Facts) -> [Action] {
        guard case .connected(let maker, isReady: false) = phase else { return [] }
        // A peripheral without services is not usable, whatever bluetoothd shows (Q73).
        if let error { return close(error.during(.connect, target), isForced: false, facts) }
        phase = .connected(maker, isReady: true)
        return [.becomeReady]
    }

    mutating func connectDeadline(_ facts: Facts) -> [Action] {
        guard case .connecting(let attempt) = phase else { return [] }
        let text: String? =
            switch attempt.step {
            case .yielding: "Another program's attempt to connect is still under way"
            case .rediscovering: "An attempt failed, and bluetoothd removed the device"
            case .calling, .confirming, .pausing, .rediscovered: nil
            }
        let error = BluetoothError(.timedOut, operation: .connect, target: target, dbusMessage: text)
        return close(error, isForced: false, facts)
    }

    // MARK: The next attempt

    /// A controller gives an attempt up now and then. It is repeated after a pause, and not while the device still looks
    /// connected (Q77).
    private mutating func aborted(_ error: BluetoothError, _ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase else { return [] }
        guard attempt.aborts < Self.mostAborts else { return giveUp(error, facts) }
        attempt.aborts += 1
        continueAttempt(attempt, .pausing)
        return [.logRepeat(aborts: attempt.aborts), .pause(Self.pause)]
    }

    /// bluetoothd refuses a second attempt (Q119) and does not announce the end of the first one: a success shows as `Connected`,
    /// and after a failure the next call starts an attempt of ours.
    private mutating func yield(_ attempt: Attempt, _ facts: Facts) -> [Action] {
        var attempt = attempt
        attempt.collisions += 1
        if facts.isConnected { attempt.maker = makerOfOthers }
        continueAttempt(attempt, .yielding(isAsking: false))
        return [.pause(min(Self.longestYield, Self.pause * attempt.collisions))]
    }

    mutating func pauseEnded(_ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase else { return [] }
        switch attempt.step {
        case .pausing where facts.isConnected && attempt.aborts < Self.mostAborts:
            attempt.aborts += 1
            continueAttempt(attempt, .pausing)
            return [.logRepeat(aborts: attempt.aborts), .pause(Self.pause)]
        case .pausing: return connect(attempt)
        case .rediscovered: return connect(attempt) + [.stopRediscovery]
        // The answer tells another program's link from one of the next `Connect`, whose signal may still be on the way.
        case .yielding(isAsking: false):
            continueAttempt(attempt, .yielding(isAsking: true))
            return [.askAboutOtherAttempt]
        case .rediscovering(isScanning: false):
            continueAttempt(attempt, .rediscovering(isScanning: true))
            return [.startRediscovery]
        case .calling, .confirming, .yielding, .rediscovering: return []
        }
    }

    mutating func otherAttemptAnswered(_ isConnected: Bool) -> [Action] {
        guard case .connecting(var attempt) = phase, case .yielding = attempt.step else { return [] }
        if isConnected { attempt.maker = makerOfOthers }
        return connect(attempt)
    }

    private mutating func connect(_ attempt: Attempt) -> [Action] {
        continueAttempt(attempt, .calling(wasShownConnected: false))
        return [.connect]
    }

    private mutating func continueAttempt(_ attempt: Attempt, _ step: Attempt.Step) {
        var attempt = attempt
        attempt.step = step
        phase = .connecting(attempt)
    }

    // MARK: What bluetoothd shows meanwhile

    /// `Connected` may flicker; the reply to `Connect` decides whether there is a link (Q78).
    mutating func shownWhileConnecting(_ isConnected: Bool, _ attempt: Attempt) -> [Action] {
        var attempt = attempt
        guard isConnected else {
            // The link of another program has ended; the next one is made by our attempt.
            attempt.maker = .thisManager
            phase = .connecting(attempt)
            return []
        }
        switch attempt.step {
        case .calling:
            continueAttempt(attempt, .calling(wasShownConnected: true))
            return []
        // No attempt of ours is under way, so another program made the link. `Connect` is answered at once, or starts an
        // attempt of ours if the link is down again by then.
        case .yielding, .pausing, .rediscovered:
            attempt.maker = makerOfOthers
            return [.cancelAttempt] + connect(attempt) + [.stopRediscovery]
        case .confirming, .rediscovering: return []
        }
    }

    /// bluetoothd 5.66 removes a device without a bond when an attempt fails, and does not answer `Connect` (Q123).
    mutating func removedWhileConnecting(_ attempt: Attempt) -> [Action] {
        if case .rediscovering = attempt.step { return [] }
        var attempt = attempt
        attempt.maker = .thisManager
        continueAttempt(attempt, .rediscovering(isScanning: false))
        // An adapter that is switched off removes its devices first and ends its links next (Q32), hence the pause.
        return [.cancelAttempt, .pause(Self.pause)]
    }

    mutating func deviceFound(_ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase, case .rediscovering = attempt.step else { return [] }
        attempt.maker = facts.isConnected ? makerOfOthers : .thisManager
        continueAttempt(attempt, .rediscovered)
        return [.cancelAttempt, .pause(Self.pause)]
    }
}

extension BluetoothError {
    /// Whether `Connect` was refused because another call of it is under way for the same device (Q76, Q119).
    /// Source: BlueZ 5.66, `src/device.c`, `device_connect_le` and `connect_profiles`.
    fileprivate var isCollision: Bool {
        kind == .busy && (dbusName == "org.bluez.Error.InProgress" || dbusMessage == ErrorTable.alreadyInProgress)
    }
}
