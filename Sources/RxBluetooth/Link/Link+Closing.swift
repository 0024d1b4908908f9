import DBus

/// Closing a link from our side.
extension Link {
    /// Closes the link: what runs fails with `cause`, the daemon is told once (S30), and the link is over when the
    /// daemon has both answered and shown it, or after the deadline (Q84).
    func close(_ cause: BluetoothError, isForced: Bool = false) {
        switch phase {
        case .connecting where isPausing: return end(cause)
        case .connecting, .connected: break
        case .losing: return end(cause)
        case .closing, .ended: return
        }
        guard !isForeign || isForced else { return end(cause) }
        // A Connect under way is not called off: it might not have been sent yet, and then its Disconnect would be meant
        // for the link of another program.
        phase = .closing
        deadline?.cancel()
        closingCause = cause
        peripheral.enter(.disconnecting)
        client.teardowns.begin()
        abandon(cause)
        task = client.call(
            path: key.path, interface: BlueZ.device, member: "Disconnect", deadline: deadlines.disconnect
        ) { [weak self] in self?.disconnectAnswered($0) }
        emitter.fail(cause.during(.connect, target))
    }

    private func disconnectAnswered(_ result: Result<Message, DBusError>) {
        guard phase == .closing else { return }
        isDisconnectAnswered = true
        guard client.devices[key]?.isConnected == true else { return closed(nil) }
        if case .failure(let error) = result {
            return closed(BluetoothError(error, operation: .disconnect, target: target))
        }
        task = client.bus.schedule(after: deadlines.disconnect) { [weak self] in
            guard let self else { return }
            closed(BluetoothError(.timedOut, operation: .disconnect, target: target))
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
