import DBus

/// Disconnecting. Source: BlueZ 5.66, src/device.c; orders as seen on the real one.
extension DaemonDevice {
    func requestDisconnect(_ call: IncomingCall, removing: Bool = false) {
        if let attempt {
            attempt.cancel()
            self.attempt = nil
            // It says so of an LE link too (Q79).
            if let call = attempt.call { tree.fail(call, ConnectError.canceled) }
        }
        guard link != nil else {
            tree.reply(call)
            // The kernel has to say first that the pairing is off.
            endPairingByKernel()
            return
        }
        let under = endLinkSoon()
        under.calls.append(call)
        if removing { under.removes = true }
    }

    /// Begins to end the link.
    @discardableResult
    func endLinkSoon() -> PendingDisconnection {
        let under = disconnection ?? PendingDisconnection()
        disconnection = under
        if under.timer == nil { startEnd(under) }
        return under
    }

    /// What uses the link ends at once, the link itself only later.
    private func startEnd(_ under: PendingDisconnection) {
        endPairingByKernel()
        battery?.end()
        battery = nil
        under.timer = loop.after(DaemonTimeLimits.disconnect) { [weak self] in self?.linkEnded(.local) }
    }

    /// The kernel is told to give a pairing up, always over LE; it knows of none there where that is over Bluetooth classic (Q118).
    private func endPairingByKernel() {
        if let pairing, !pairing.isOverClassic { fail(pairing, BlueZError.authenticationCanceled) }
    }

    /// The link is gone. Replies to `Disconnect` come before `Connected` turns false (Q84).
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
        // In the order in which they were asked for (btd_gatt_client_disconnected in src/gatt-client.c).
        let sockets = services.flatMap(\.acquisitions).sorted { $0.number < $1.number }
        for socket in sockets { socket.close() }
        for service in services { service.linkWentDown() }
        if !operations.isEmpty {
            // What was in flight hears of an unlikely error, after the signals.
            tree.flush()
            for operation in operations { operation.fail(0x0E) }
        }
        endPairing()
        if asked?.removes == true { return adapter.remove(self) }
        // Neither bonded nor trusted, it is temporary again (device_bonding_complete, called for every end of a link).
        if !isBonded, !isTrusted { becomeTemporary(true) }
        reconnectByItself(isWanted: asked != nil)
    }
}

/// A disconnection that was asked for, and waits for bluetoothd's timer.
final class PendingDisconnection {
    var calls: [IncomingCall] = []
    /// `RemoveDevice` asked for it.
    var removes = false
    var timer: BusTask?
}
