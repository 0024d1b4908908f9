/// The cause of a lost link.
extension Link {
    /// Returns the error of a lost link: its reason, or a failed pairing if that is likely.
    ///
    /// bluetoothd does not report that a refused or failed pairing ended the link: before 5.83 it gives no reason, and
    /// later versions only name the side that closed the link (Q121). A failed pairing is likely in two cases:
    /// - The running operation has caused a pairing request to our agent, and no bond exists.
    /// - bluetoothd has lost the running operation, because it waited for encryption (Q126).
    ///
    /// A peripheral that moved out of range during a pairing looks the same.
    func loss(_ reason: BluetoothError.DisconnectReason, isShared: Bool) -> BluetoothError {
        guard reason == .unknown || reason == .remote || reason == .local else {
            return BluetoothError(.disconnected(reason))
        }
        let isBonded = client.mirror.devices[key]?.isBonded == true
        let isPairing = queue.isPairing
        let failed = BluetoothError(.disconnected(.authentication)).inferred
        if isPairing, !isBonded, reason != .local { return failed }
        let lost = BluetoothError(.disconnected(reason)).withSharedLink(isShared)
        guard let operation = queue.endedOperation else { return lost }
        guard showsLostOperations else { return lost.withPairingClue(.possible) }
        guard !operation.isAnswered else { return lost }
        // Up to 5.83, a failed call has no reply, and StartNotify has shown before that it needs no pairing (Q132).
        // Source: BlueZ 5.82, register_notify_io_cb in src/gatt-client.c.
        guard !operation.opensNotifySocket || !KnownProblem.mayAffect(client.version, .socketStartCrash) else {
            return lost
        }
        // Without an agent of ours, this computer may have refused.
        let isRefusedByPeer = !isBonded && !isPairing && client.settings.pairing.mode != .noAgent
        return isRefusedByPeer ? failed.withPairingClue(.refused) : failed
    }

    /// Whether a missing reply shows that bluetoothd has lost an operation.
    ///
    /// bluetoothd answers the other operations when the link ends, so before the call after the delay of the loss. That
    /// includes starts of notifications. Source: BlueZ 5.82, disconnect_cb in src/shared/att.c.
    private var showsLostOperations: Bool {
        guard isAnsweredAfterLoss, deadlines.disconnectReasonGrace > .zero, let version = client.version else {
            return false
        }
        return KnownProblem.mayAffect(version, .operationLostWithPairing)
    }
}
