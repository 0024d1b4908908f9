/// The transitions while a link is being closed or lost.
extension LinkState {
    // MARK: Closing

    mutating func close(_ cause: BluetoothError, isForced: Bool, _ facts: Facts) -> [Action] {
        var isConnectPending = false
        if case .connecting(let attempt) = phase {
            switch attempt.step {
            case .calling, .reaching: isConnectPending = true
            case .confirming, .pausing, .yielding, .rediscovering, .rediscovered: break
            }
        }
        return close(cause, isForced: isForced, facts, isConnectPending: isConnectPending)
    }

    /// Closes the link.
    ///
    /// The link's users fail with the cause, and `Disconnect` is called once (S30). The closing is complete when
    /// bluetoothd has answered and shows no link, or after the deadline (Q84).
    mutating func close(
        _ cause: BluetoothError, isForced: Bool, _ facts: Facts, isConnectPending: Bool, hasFailed: Bool = false
    ) -> [Action] {
        let (maker, isAttempt): (Maker, Bool)
        switch phase {
        case .adopted: (maker, isAttempt) = (.otherProgram, false)
        // `Disconnect` needs the device object, which appears with the link. Until `ConnectDevice` is answered, there
        // is nothing else to undo.
        case .connecting(let attempt) where attempt.step == .reaching && !facts.isConnected:
            phase = .closing(
                Closing(
                    cause: cause, maker: .thisManager, isAttempt: true, hasFailed: false, isConnectPending: true,
                    wait: .connectAnswer))
            return [.cancelDeadline, .beginClosing(cause), .failSubscriber(cause), .startDisconnectDeadline]
        case .connecting(let attempt) where awaitsEarlierConnect(attempt, isForced: isForced, facts):
            phase = .closing(
                Closing(
                    cause: cause, maker: .thisManager, isAttempt: false, hasFailed: false, isConnectPending: true,
                    isEarlierConnect: true, wait: .connectAnswer))
            return [.cancelAttempt, .cancelDeadline, .stopRediscovery, .beginClosing(cause), .failSubscriber(cause)]
                + [.startDisconnectDeadline]
        case .connecting(let attempt):
            // Without an attempt in progress, there is nothing to close unless bluetoothd shows a link.
            guard attempt.mayBeConnecting || facts.isConnected else { return end(cause) }
            (maker, isAttempt) = (attempt.maker, attempt.mayBeConnecting)
        case .connected(let connected, _): (maker, isAttempt) = (connected, false)
        case .losing: return end(cause)
        case .closing, .ended: return []
        }
        guard maker == .thisManager && !(keepsOpen && isReady) || isForced else { return end(cause) }
        phase = .closing(
            Closing(
                cause: cause, maker: maker, isAttempt: isAttempt, hasFailed: hasFailed,
                isConnectPending: isConnectPending))
        // A pending `Connect` is not cancelled: if it were not sent yet, `Disconnect` would end another program's link.
        return (isConnectPending ? [] : [.cancelAttempt])
            + [.cancelDeadline, .stopRediscovery, .beginClosing(cause), .disconnect, .failSubscriber(cause)]
    }

    mutating func disconnectAnswered(_ error: BluetoothError?, _ facts: Facts) -> [Action] {
        guard case .closing(var closing) = phase else { return [] }
        let isShown = facts.isConnected && !closing.wasShownDown
        if let error { return closed(isShown ? error : nil) }
        // Until bluetoothd has answered `Connect`, a link of ours may still come up, so the closing waits for that
        // reply.
        guard isShown || closing.isConnectPending else { return closed(nil) }
        closing.wait = isShown ? .linkDown : .connectAnswer
        phase = .closing(closing)
        return [.startDisconnectDeadline]
    }

    mutating func removalAnswered() -> [Action] {
        guard case .closing(var closing) = phase else { return [] }
        closing.wait = .deviceRemoval
        phase = .closing(closing)
        return [.startDisconnectDeadline]
    }

    mutating func disconnectDeadline() -> [Action] {
        guard case .closing(let closing) = phase else { return [] }
        let isLinkDown = closing.wait == .connectAnswer || closing.wait == .deviceRemoval && closing.wasShownDown
        return closed(isLinkDown ? nil : BluetoothError(.timedOut, operation: .disconnect, target: target))
    }

    /// Handles the reply to `Connect` while the link is being closed.
    ///
    /// If a link comes up after `Disconnect` was answered, that link is closed as well.
    mutating func connectAnsweredWhileClosing(isSuccess: Bool, _ facts: Facts) -> [Action] {
        guard case .closing(var closing) = phase else { return [] }
        closing.isConnectPending = false
        // After a failure, a link that is shown nevertheless is another program's.
        let isOver = !isSuccess && closing.isDisconnectAnswered && (closing.isEarlierConnect || !facts.isConnected)
        let repeatsDisconnect = closing.isDisconnectAnswered && isSuccess && !closing.isRepeated
        if repeatsDisconnect {
            closing.isRepeated = true
            closing.wait = .disconnectAnswer
        }
        phase = .closing(closing)
        if repeatsDisconnect { return [.cancelDisconnect, .disconnect] }
        return isOver ? closed(nil) : []
    }

    /// Returns whether a closing must first wait for the reply to the `Connect` that was sent before a removal.
    ///
    /// If bluetoothd has found the device again, that call may still make a link, which is then ours.
    private func awaitsEarlierConnect(_ attempt: Attempt, isForced: Bool, _ facts: Facts) -> Bool {
        guard attempt.earlierConnect == .pending, facts.isShown else { return false }
        // `Disconnect` is called at once for a present attempt of ours, and for a link that has to be closed.
        let isAttemptOfOurs = attempt.maker == .thisManager && attempt.mayBeConnecting
        let isLinkToClose = isForced && facts.isConnected
        return !isAttemptOfOurs && !isLinkToClose
    }

    private mutating func closed(_ failure: BluetoothError?) -> [Action] {
        guard case .closing(let closing) = phase else { return [] }
        phase = .ended
        return [.finishClosing(closing.cause, failure: failure)]
    }

    mutating func end(_ cause: BluetoothError) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        return [.end(cause)]
    }

    // MARK: Link loss

    mutating func shown(_ isConnected: Bool, _ facts: Facts) -> [Action] {
        if case .connecting(let attempt) = phase { return shownWhileConnecting(isConnected, attempt) }
        guard !isConnected else { return [] }
        switch phase {
        case .connected(let maker, _): return lose(facts.announcedReason ?? .unknown, maker, facts)
        case .closing(var closing):
            // After a failed attempt the link often ends by itself, so the closing does not wait for the reply to
            // `Disconnect`.
            if closing.isDisconnectAnswered && closing.wait != .deviceRemoval || closing.hasFailed {
                return closed(nil)
            }
            // During an attempt, `Connected` may flicker (Q78), so the link is not recorded as down.
            closing.wasShownDown = !closing.isAttempt
            phase = .closing(closing)
            return []
        case .adopted, .connecting, .losing, .ended: return []
        }
    }

    /// Handles the removal of the device. bluetoothd no longer signals its `Connected` (Q61).
    mutating func deviceRemoved(_ facts: Facts) -> [Action] {
        switch phase {
        case .connecting(let attempt): return removedWhileConnecting(attempt)
        case .connected(let maker, _): return lose(.removed, maker, facts)
        case .closing: return closed(nil)
        case .adopted, .losing, .ended: return []
        }
    }

    /// Begins to find the cause of a link loss.
    ///
    /// An adapter that is switched off or unplugged loses its links before bluetoothd shows the adapter's new state
    /// (Q32). If another program switches it off through the kernel (`btmgmt`, rfkill), some hundredths of a second
    /// pass in between. A loss without a definite reason waits that long. Then `Powered` is read, because its signal
    /// may not have been read yet.
    private mutating func lose(
        _ reason: BluetoothError.DisconnectReason, _ maker: Maker, _ facts: Facts
    ) -> [Action] {
        guard facts.isAdapterOn else { return end(BluetoothError(.disconnected(.adapter))) }
        phase = .losing(maker, reason)
        let isDelayed = reason.mayBeCausedByAdapter && facts.isLossDelayed
        return [.suspendOperations, isDelayed ? .delayLoss : .readAdapterPower(reason)]
    }

    mutating func lossDelayEnded() -> [Action] {
        guard case .losing(_, let reason) = phase else { return [] }
        return [.readAdapterPower(reason)]
    }

    /// Ends the lost link. The reason may have arrived after the loss (Q86), and before this reply.
    mutating func adapterAnswered(_ isGone: Bool, _ facts: Facts) -> [Action] {
        guard case .losing(let maker, let reason) = phase else { return [] }
        if isGone { return end(BluetoothError(.disconnected(.adapter))) }
        phase = .ended
        let final = reason == .unknown ? facts.announcedReason ?? reason : reason
        return [.endLost(final, isShared: maker == .otherProgram)]
    }

    mutating func lost(_ cause: BluetoothError) -> [Action] {
        if case .closing = phase { closed(nil) } else { end(cause) }
    }
}

extension LinkState.Attempt {
    /// Whether bluetoothd may be executing an attempt of ours.
    fileprivate var mayBeConnecting: Bool {
        switch step {
        case .reaching, .calling, .confirming: true
        case .pausing, .yielding, .rediscovering, .rediscovered: false
        }
    }
}

extension BluetoothError.DisconnectReason {
    /// Whether the adapter may be the actual cause of a link loss with this reason.
    ///
    /// Linux reports the remote side as the reason when the adapter is switched off. Source: Linux 6.1,
    /// `hci_power_off_sync` and `hci_to_mgmt_reason`; also observed in the virtual machine of the tests.
    fileprivate var mayBeCausedByAdapter: Bool {
        switch self {
        case .unknown, .local, .remote: true
        // bluetoothd removes a device without a bond when connecting fails, also because the adapter is switched off
        // (Q32).
        case .removed: true
        default: false
        }
    }
}
