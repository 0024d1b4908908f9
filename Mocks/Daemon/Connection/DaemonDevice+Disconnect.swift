import DBus

/// Disconnects a device. Signals and replies have the same order as in BlueZ (src/device.c).
extension DaemonDevice {
    func requestDisconnect(_ call: IncomingCall, removing: Bool = false) {
        if let attempt {
            attempt.cancel()
            self.attempt = nil
            if let call = attempt.call { tree.fail(call, ConnectError.canceled) }
            if adapter.differences.has(.canceledAttemptRemoves), !isBonded {
                tree.reply(call)
                return adapter.remove(self)
            }
        }
        guard link != nil else {
            if hasConnectedService, removing { isRemovedWithLink = true }
            hasConnectedService = false
            tree.reply(call)
            // The pairing ends after the reply to Disconnect, because the kernel confirms its end only then.
            endPairingByKernel()
            return
        }
        let under = endLinkSoon()
        under.calls.append(call)
        if removing { under.removes = true }
    }

    /// Starts to end the link. Returns the pending disconnection.
    @discardableResult
    func endLinkSoon() -> PendingDisconnection {
        let under = disconnection ?? PendingDisconnection()
        disconnection = under
        if under.timer == nil { startEnd(under) }
        return under
    }

    /// Ends the pairing and the battery profile at once, and the link after a delay.
    private func startEnd(_ under: PendingDisconnection) {
        endPairingByKernel()
        battery?.end()
        battery = nil
        under.timer = loop.after(DaemonTimeLimits.disconnect) { [weak self] in self?.linkEnded(.local) }
    }

    /// Cancels a pending pairing over LE. The kernel does not cancel a pairing over BR/EDR (Q118).
    private func endPairingByKernel() {
        if let pairing, !pairing.isOverClassic { fail(pairing, BlueZError.authenticationCanceled) }
    }

    /// Updates the device after the link ended.
    ///
    /// The reply to `Disconnect` precedes the change of `Connected`, except in newer versions (Q84).
    func linkEnded(_ reason: SimulatedDisconnectReason = .remote) {
        guard let link else { return }
        let wasPairedWithoutBond = isPairedWithoutBond
        self.link = nil
        let operations = link.end()
        // If the end of the link interrupts discovery, att_disconnected_cb in src/device.c leaves services connected.
        // `Disconnect` disconnects them.
        hasConnectedService =
            adapter.quirks.contains(.Q138) && link.isUsed && !areServicesResolved && !services.isEmpty
            && disconnection == nil
        if areServicesResolved {
            areServicesResolved = false
            changed("ServicesResolved")
        }
        let asked = disconnection
        disconnection = nil
        asked?.timer?.cancel()
        let isReplyLate = adapter.differences.has(.lateDisconnectReply)
        if !isReplyLate { for call in asked?.calls ?? [] { tree.reply(call) } }
        advertisedServices = []
        lastReport = nil
        markSeen(isConnectable: true)
        sendDisconnectedSignal(reason)
        changed("Connected")
        if wasPairedWithoutBond { changed("Paired") }
        battery?.end()
        battery = nil
        if isReplyLate { for call in asked?.calls ?? [] { tree.reply(call) } }
        if link.deviceState.pairing.losesBond { link.deviceState.bonds = [:] }
        // Sockets close in the order of their acquisition (btd_gatt_client_disconnected in src/gatt-client.c).
        let sockets = services.flatMap(\.acquisitions).sorted { $0.number < $1.number }
        for socket in sockets { socket.close() }
        for service in services { service.linkWentDown() }
        if !operations.isEmpty {
            // Pending ATT requests fail after the signals, with the ATT error 0x0E (unlikely error).
            tree.flush()
            for operation in operations { operation.fail(0x0E) }
        }
        endPairing()
        if asked?.removes == true || isRemovedWithLink { return adapter.remove(self) }
        // A device that is neither bonded nor trusted becomes temporary again,
        // because bluetoothd runs device_bonding_complete at the end of each link.
        if !isBonded, !isTrusted { becomeTemporary(true) }
        reconnectByItself(isWanted: asked != nil)
    }
}

/// A requested disconnection that waits for bluetoothd's timer.
final class PendingDisconnection {
    var calls: [IncomingCall] = []
    /// Whether `RemoveDevice` requested the disconnection, so that the device is removed afterwards.
    var removes = false
    var timer: BusTask?
}
