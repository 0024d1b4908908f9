/// The transitions while a link is being made.
extension LinkState {
    /// The maximum number of aborted attempts that are repeated. The ninth abort is reported (Q77).
    private static let maximumAborts = 8
    static let pause = Duration.milliseconds(250)
    private static let maximumYieldPause = Duration.seconds(1)
    /// The number of refused calls after which a pairing that bluetoothd has kept is canceled: after 5.5 s.
    private static let collisionsOfKeptPairing = 7

    func start() -> [Action] {
        guard case .connecting(let attempt) = phase else { return [] }
        switch attempt.step {
        case .reaching: return [.startDeadline, .connectDevice]
        case .rediscovering: return [.startDeadline, .startRediscovery]
        case .calling, .confirming, .pausing, .yielding, .rediscovered: return [.startDeadline, .connect]
        }
    }

    mutating func connectAnswered(_ error: BluetoothError?, _ facts: Facts) -> [Action] {
        guard case .connecting(let attempt) = phase else {
            return connectAnsweredWhileClosing(isSuccess: error == nil, facts)
        }
        guard case .calling(let wasShownConnected) = attempt.step else { return [] }
        guard let error else { return confirm(attempt, facts) }
        let isOtherProgramsLink = attempt.maker == .otherProgram || error.isCollision && attempt.collisions > 0
        switch error {
        // The link is used: BlueZ documents AlreadyConnected as an error, but bluetoothd actually returns success
        // (Q80).
        case _ where error.kind == .alreadyConnected: return confirm(attempt, facts)
        // The link is used: bluetoothd refuses `Connect` for a device that another program has just connected (Q74).
        case _ where facts.isConnected && isOtherProgramsLink: return confirm(attempt, facts)
        case _ where error.isCollision: return yield(attempt, facts)
        case _ where wasShownConnected && facts.isBonded && error.dbusMessage == "br-connection-canceled":
            return endFailedAttempt(BluetoothError(.bondLost, after: error), facts)
        case _ where wasShownConnected && facts.isBonded && error.dbusMessage == "le-connection-abort-by-local":
            // Only two consecutive aborts mean a lost bond, because a controller also aborts by itself (Q77, Q87).
            let actions =
                facts.wasAborted
                ? endFailedAttempt(BluetoothError(.bondLost, after: error), facts) : aborted(error, facts)
            return [.recordAbort] + actions
        case _ where error.isAbortedConnection: return aborted(error, facts)
        // After a time-out, bluetoothd still tries to connect, so the attempt must be stopped (Q8).
        case _ where error.kind == .timedOut: return close(error, isForced: false, facts, isConnectPending: false)
        default: return endFailedAttempt(error, facts)
        }
    }

    /// Ends a failed attempt.
    ///
    /// If the device is connected nevertheless, our attempt has made that link, and we close it.
    private mutating func endFailedAttempt(_ error: BluetoothError, _ facts: Facts) -> [Action] {
        guard facts.isConnected else { return end(error) }
        return close(error, isForced: false, facts, isConnectPending: false, hasFailed: true)
    }

    /// Opens the link after `Connect` has succeeded.
    ///
    /// The reply to `Connect` counts (Q78). If the mirror shows no link, `Connected` is also read.
    private mutating func confirm(_ attempt: Attempt, _ facts: Facts) -> [Action] {
        if facts.isConnected { return open(attempt) }
        continueAttempt(attempt, .confirming)
        return [.confirmLink]
    }

    mutating func linkConfirmed(_ isConnected: Bool, _ facts: Facts) -> [Action] {
        guard case .connecting(let attempt) = phase, attempt.step == .confirming else { return [] }
        if isConnected { return open(attempt) }
        phase = .ended
        return [.endLost(facts.announcedReason ?? .unknown, isShared: false)]
    }

    /// Closes the link, because it may exist although `Connected` could not be read.
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
        // If the services cannot be read, the link is closed, because a peripheral without services is not usable
        // (Q73).
        if let error { return close(error.during(.connect, target), isForced: false, facts) }
        phase = .connected(maker, isReady: true)
        return [.becomeReady]
    }

    mutating func connectDeadline(_ facts: Facts) -> [Action] {
        guard case .connecting(let attempt) = phase else { return [] }
        if attempt.wasRemoved {
            let error = BluetoothError(
                .peripheralGone, operation: .connect, target: target, detail: "A scan did not find it either")
            return close(error, isForced: false, facts)
        }
        let text: String? =
            switch attempt.step {
            case .yielding: "Another attempt to connect is still under way, possibly of another program"
            case .rediscovering where attempt.wasNeverShown: "The peripheral was not found by scanning"
            case .rediscovering: "An attempt failed, and bluetoothd removed the device"
            case .reaching, .calling, .confirming, .pausing, .rediscovered: nil
            }
        let error = BluetoothError(.timedOut, operation: .connect, target: target, detail: text)
        return close(error, isForced: false, facts)
    }

    // MARK: A device that bluetoothd does not have

    /// Handles the answer to `ConnectDevice`.
    ///
    /// If bluetoothd does not offer the method, or fails without a reason, a scan finds the device.
    mutating func connectDeviceAnswered(_ answer: DeviceAnswer, _ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase else {
            return connectAnsweredWhileClosing(isSuccess: answer == .connected, facts)
        }
        guard attempt.step == .reaching else { return [] }
        switch answer {
        case .connected: return confirm(attempt, facts)
        // Another program has found or connected the device meanwhile.
        case .failed(let error) where error.kind == .alreadyDone: return connectFound(attempt, facts)
        case .failed(let error) where error.kind == .timedOut:
            return close(error, isForced: false, facts, isConnectPending: false)
        case .failed(let error) where !error.isFailedConnection: return end(error)
        // A scan would wait forever for a device that was found meanwhile, because it is not announced again.
        case .notOffered where facts.isShown, .failed where facts.isShown: return connectFound(attempt, facts)
        case .notOffered, .failed:
            attempt.wasNeverShown = true
            continueAttempt(attempt, .rediscovering(isScanning: true))
            return [.startRediscovery]
        }
    }

    private mutating func connectFound(_ attempt: Attempt, _ facts: Facts) -> [Action] {
        var attempt = attempt
        if facts.isConnected { attempt.maker = makerOfOtherProgramsLinks }
        return connect(attempt)
    }

    // MARK: The next attempt

    /// Repeats an attempt that the controller gave up, as it does now and then (Q77).
    ///
    /// The next attempt follows after a pause, and only when the device no longer appears connected.
    private mutating func aborted(_ error: BluetoothError, _ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase else { return [] }
        guard attempt.aborts < Self.maximumAborts else { return endFailedAttempt(error, facts) }
        attempt.aborts += 1
        continueAttempt(attempt, .pausing)
        return [.logRepeat(aborts: attempt.aborts), .pause(Self.pause)]
    }

    /// Waits for another program's attempt, because bluetoothd refuses a second one (Q119).
    ///
    /// bluetoothd does not announce the end of that attempt. Its success shows as `Connected`. After its failure, our
    /// next call starts our own attempt.
    private mutating func yield(_ attempt: Attempt, _ facts: Facts) -> [Action] {
        var attempt = attempt
        attempt.collisions += 1
        if facts.isConnected { attempt.maker = maker(in: attempt) }
        continueAttempt(attempt, .yielding(isReading: false))
        return [.pause(min(Self.maximumYieldPause, Self.pause * attempt.collisions))]
    }

    mutating func pauseEnded(_ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase else { return [] }
        switch attempt.step {
        case .pausing where facts.isConnected && attempt.aborts < Self.maximumAborts:
            attempt.aborts += 1
            continueAttempt(attempt, .pausing)
            return [.logRepeat(aborts: attempt.aborts), .pause(Self.pause)]
        case .pausing: return connect(attempt)
        case .rediscovered: return connect(attempt) + [.stopRediscovery]
        // `Connected` is read before the next `Connect`, because the signal of another program's link may not be read
        // yet. The reply shows which program made the link.
        case .yielding(isReading: false):
            continueAttempt(attempt, .yielding(isReading: true))
            return [.readOtherAttemptResult]
        case .rediscovering(isScanning: false):
            continueAttempt(attempt, .rediscovering(isScanning: true))
            return [.startRediscovery]
        case .reaching, .calling, .confirming, .yielding, .rediscovering: return []
        }
    }

    /// Handles the answer to whether another program's attempt has made a link.
    ///
    /// bluetoothd does not show a pairing. After the end of a link, a pairing that it has kept differs from another
    /// program's attempt only by its duration. `CancelPairing` would remove a bond, so it is not called if there is
    /// one.
    mutating func otherAttemptAnswered(_ isConnected: Bool, _ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase, case .yielding = attempt.step else { return [] }
        if isConnected { attempt.maker = maker(in: attempt) }
        let isPairingKept =
            !isConnected && facts.mayKeepPairing && !facts.isBonded
            && attempt.collisions == Self.collisionsOfKeptPairing
        return (isPairingKept ? [.cancelKeptPairing] : []) + connect(attempt)
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

    // MARK: Signals while connecting

    /// Handles a change of `Connected` while a link is being made.
    ///
    /// `Connected` may flicker, so the reply to `Connect` decides whether there is a link (Q78).
    mutating func shownWhileConnecting(_ isConnected: Bool, _ attempt: Attempt) -> [Action] {
        var attempt = attempt
        guard isConnected else {
            // Another program's link has ended. Our attempt makes the next link.
            attempt.maker = .thisManager
            attempt.earlierLinkEnded()
            phase = .connecting(attempt)
            return []
        }
        switch attempt.step {
        case .calling:
            continueAttempt(attempt, .calling(wasShownConnected: true))
            return []
        // No attempt of ours is in progress, so another program made the link. `Connect` then succeeds at once, or
        // makes our own link if that link is lost before.
        case .yielding, .pausing, .rediscovered:
            attempt.maker = maker(in: attempt)
            return [.cancelAttempt] + connect(attempt) + [.stopRediscovery]
        case .reaching, .confirming, .rediscovering: return []
        }
    }

    /// Prepares the search for a device that bluetoothd removed.
    ///
    /// bluetoothd 5.66 removes a device without a bond when an attempt fails, and never answers `Connect` (Q123).
    mutating func removedWhileConnecting(_ attempt: Attempt) -> [Action] {
        switch attempt.step {
        case .rediscovering, .reaching: return []
        case .calling, .confirming, .pausing, .yielding, .rediscovered: break
        }
        var (attempt, end) = (attempt, Action.cancelAttempt)
        attempt.earlierLinkEnded()
        // bluetoothd may handle the call after it has found the device again, if the removal was signalled late.
        if case .calling = attempt.step { (attempt.earlierConnect, end) = (.pending, .keepConnect) }
        attempt.maker = .thisManager
        continueAttempt(attempt, .rediscovering(isScanning: false))
        // An adapter that is switched off removes its devices before its links end (Q32), so the scan starts after a
        // pause.
        return [end, .pause(Self.pause)]
    }

    /// Handles the reply to the `Connect` that was sent before a removal. After a success, the link is this manager's.
    mutating func earlierConnectAnswered(_ isSuccess: Bool, _ facts: Facts) -> [Action] {
        switch phase {
        case .connecting(var attempt):
            attempt.earlierConnect = isSuccess ? .succeeded : .none
            if isSuccess { attempt.maker = .thisManager }
            phase = .connecting(attempt)
        case .connected(_, let isReady) where isSuccess: phase = .connected(.thisManager, isReady: isReady)
        case .closing(let closing) where closing.isEarlierConnect:
            return connectAnsweredWhileClosing(isSuccess: isSuccess, facts)
        case .adopted, .connected, .losing, .closing, .ended: break
        }
        return []
    }

    /// Returns the maker of a link that no pending call of this manager has made.
    private func maker(in attempt: Attempt) -> Maker {
        attempt.earlierConnect == .succeeded ? .thisManager : makerOfOtherProgramsLinks
    }

    mutating func deviceFound(_ facts: Facts) -> [Action] {
        guard case .connecting(var attempt) = phase, case .rediscovering = attempt.step else { return [] }
        attempt.maker = facts.isConnected ? maker(in: attempt) : .thisManager
        attempt.wasNeverShown = false
        attempt.wasRemoved = false
        continueAttempt(attempt, .rediscovered)
        return [.cancelAttempt, .pause(Self.pause)]
    }
}

extension LinkState.Attempt {
    fileprivate mutating func earlierLinkEnded() {
        if earlierConnect == .succeeded { earlierConnect = .none }
    }
}

extension BluetoothError {
    /// Whether `ConnectDevice` failed in a way that another attempt may change.
    fileprivate var isFailedConnection: Bool {
        switch kind {
        case .connectFailed, .busy, .noFreeSlot, .unsupported: true
        default: false
        }
    }

    /// Whether `Connect` was refused because another call for the device is pending (Q76, Q119).
    ///
    /// Source: BlueZ 5.66, `src/device.c`, `device_connect_le` and `connect_profiles`.
    fileprivate var isCollision: Bool {
        kind == .busy && (dbusName == "org.bluez.Error.InProgress" || dbusMessage == ErrorTable.alreadyInProgress)
    }
}
