import DBus

/// Disconnects a device. Source: BlueZ 5.66, src/device.c; the order is that of the real daemon.
extension DaemonDevice {
    func requestDisconnect(_ call: IncomingCall, removing: Bool = false) {
        if let attempt {
            attempt.cancel()
            self.attempt = nil
            if let call = attempt.call { tree.fail(call, ConnectError.canceled) }
        }
        guard link != nil else {
            tree.reply(call)
            // The kernel confirms the end of the pairing only after the reply.
            endPairingByKernel()
            return
        }
        let under = endLinkSoon()
        under.calls.append(call)
        if removing { under.removes = true }
    }

    /// Starts to end the link.
    @discardableResult
    func endLinkSoon() -> PendingDisconnection {
        let under = disconnection ?? PendingDisconnection()
        disconnection = under
        if under.timer == nil { startEnd(under) }
        return under
    }

    /// Ends the users of the link now. The link itself ends later.
    private func startEnd(_ under: PendingDisconnection) {
        endPairingByKernel()
        battery?.end()
        battery = nil
        under.timer = loop.after(DaemonTimeLimits.disconnect) { [weak self] in self?.linkEnded(.local) }
    }

    /// Ends a pairing over LE. The kernel ignores the request for a pairing over BR/EDR (Q118).
    private func endPairingByKernel() {
        if let pairing, !pairing.isOverClassic { fail(pairing, BlueZError.authenticationCanceled) }
    }

    /// The link ended. `Disconnect` is answered before `Connected` turns false (Q84).
    func linkEnded(_ reason: SimulatedDisconnectReason = .remote) {
        guard let link else { return }
        self.link = nil
        let operations = link.end()
        battery?.end()
        battery = nil
        if areServicesResolved {
            areServicesResolved = false
            changed("ServicesResolved")
        }
        let asked = disconnection
        disconnection = nil
        asked?.timer?.cancel()
        for call in asked?.calls ?? [] { tree.reply(call) }
        advertisedServices = []
        lastReport = nil
        markSeen(isConnectable: true)
        sendDisconnectedSignal(reason)
        changed("Connected")
        if link.deviceState.pairing.losesBond { link.deviceState.bonds = [:] }
        // In the order of their calls (btd_gatt_client_disconnected in src/gatt-client.c).
        let sockets = services.flatMap(\.acquisitions).sorted { $0.number < $1.number }
        for socket in sockets { socket.close() }
        for service in services { service.linkWentDown() }
        if !operations.isEmpty {
            // Pending requests fail with "unlikely error", after the signals.
            tree.flush()
            for operation in operations { operation.fail(0x0E) }
        }
        endPairing()
        if asked?.removes == true { return adapter.remove(self) }
        // Unbonded and untrusted devices are temporary again (device_bonding_complete runs at the end of every link).
        if !isBonded, !isTrusted { becomeTemporary(true) }
        reconnectByItself(isWanted: asked != nil)
    }
}

/// A requested disconnection that waits for bluetoothd's timer.
final class PendingDisconnection {
    var calls: [IncomingCall] = []
    /// Whether `RemoveDevice` requested it.
    var removes = false
    var timer: BusTask?
}
