import DBus

/// Closing a link from our side.
extension Link {
    /// Closes the link: what runs fails with `cause`, the daemon is told once (S30), and the link is over when the
    /// daemon has both answered and shown it, or after the deadline (Q84).
    func close(_ cause: BluetoothError, isForced: Bool = false) {
        switch phase {
        // Without an attempt under way there is only a link to close if one is shown.
        case .connecting where step != .none && !mayBeConnecting && !isShownConnected: return end(cause)
        case .connecting, .connected: break
        case .losing: return end(cause)
        case .closing, .ended: return
        }
        guard !isForeign || isForced else { return end(cause) }
        if step != .calling {
            connecting?.cancel()
            connecting = nil
        }
        isClosingAttempt = phase == .connecting && mayBeConnecting
        // A Connect under way is not called off: it might not have been sent yet, and then its Disconnect would be meant
        // for the link of another program.
        phase = .closing
        deadline?.cancel()
        stopRediscovery()
        closingCause = cause
        peripheral.enter(.disconnecting)
        client.teardowns.begin()
        abandon(cause)
        disconnect()
        emitter.fail(cause.during(.connect, target))
    }

    private func disconnect() {
        isDisconnectAnswered = false
        task = client.call(
            path: key.path, interface: BlueZ.device, member: "Disconnect", deadline: deadlines.disconnect
        ) { [weak self] in self?.disconnectAnswered($0) }
    }

    private func disconnectAnswered(_ result: Result<Message, DBusError>) {
        guard phase == .closing else { return }
        isDisconnectAnswered = true
        guard isShownConnected, !wasSeenDown else {
            if case .success = result { return noLinkIsShown() } else { return closed(nil) }
        }
        if case .failure(let error) = result {
            return closed(BluetoothError(error, operation: .disconnect, target: target))
        }
        task = client.bus.schedule(after: deadlines.disconnect) { [weak self] in
            guard let self else { return }
            closed(BluetoothError(.timedOut, operation: .disconnect, target: target))
        }
    }

    /// `Disconnect` was answered, and no link is shown. bluetoothd has answered `Connect` by then, unless it is out of order; as long
    /// as it has not, a link of ours may still come up.
    private func noLinkIsShown() {
        guard connecting != nil else { return closed(nil) }
        task = client.bus.schedule(after: deadlines.disconnect) { [weak self] in self?.closed(nil) }
    }

    /// `Connect` was answered after we had begun to close. A link that came up after `Disconnect` was answered is closed too.
    func answeredWhileClosing(_ result: Result<Message, DBusError>) {
        guard phase == .closing, isDisconnectAnswered else { return }
        switch result {
        case .success where !isClosedAgain:
            isClosedAgain = true
            task?.cancel()
            disconnect()
        case .success: break
        case .failure: if !isShownConnected { closed(nil) }
        }
    }

    /// The link that is being closed is over, or could not be closed.
    func closed(_ failure: BluetoothError?) {
        guard phase == .closing else { return }
        phase = .ended
        stopWaiting()
        client.links[key] = nil
        client.teardowns.end()
        peripheral.enter(.disconnected(told(closingCause)))
        finish(failure)
    }
}
