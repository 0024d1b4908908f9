/// The cause of a lost link.
extension Link {
    /// Returns the error of a lost link: its reason, and what is known about a pairing.
    ///
    /// bluetoothd does not report that a refused or failed pairing ended the link: before 5.83 it gives no reason, and
    /// later versions only name the side that closed the link (Q121). A failed pairing is likely in two cases:
    /// - The running operation has caused a pairing request to our agent, and no bond exists.
    /// - bluetoothd has lost the running operation, because it waited for encryption (Q126).
    ///
    /// A peripheral that moved out of range during a pairing looks the same.
    func loss(_ reason: BluetoothError.DisconnectReason, isShared: Bool) -> BluetoothError {
        let isBonded = client.mirror.isBonded(key)
        let operation = queue.endedOperation
        let lost = BluetoothError(.disconnected(reason))
        switch reason {
        case .unknown, .remote, .local: break
        case .authentication where pairing?.isCalling == true: return lost.withPairingClue(.duringPairing)
        case .authentication:
            return lost.withPairingClue(.none, hasBond: isBonded && operation?.isAnswered == false)
        default: return lost
        }
        // bluetoothd then closes the link: the service for which it has paired cannot be used.
        if let refusal = queue.refusalBeforeEnd, !isRemovedAfterLoss {
            return lost.withSharedLink(isShared).withPairingClue(refusal.pairingClue)
        }
        let isPairing = queue.isPairing
        let failed = BluetoothError(.disconnected(.authentication)).inferred
        if isPairing, !isBonded, reason != .local { return failed }
        if showsLostOperations, let operation, !operation.isAnswered, !isUnclear(operation) {
            // Without an agent of ours, this computer may have refused.
            let isRefusedByPeer = !isBonded && !isPairing && client.settings.pairing.mode != .noAgent
            return failed.withPairingClue(isRefusedByPeer ? .refused : .none, hasBond: isBonded)
        }
        let clue = pairingClue(operation, isShared: isShared)
        let isRemoved = isRemovedAfterLoss && reason != .remote && (clue == .none || clue == .possible)
        let isBondSuspected =
            reason == .unknown && isBonded && !isRemoved && clue != .duringPairing
            && hasEndedBeforeEncryption(isShared: isShared)
        return (isRemoved ? BluetoothError(.disconnected(.removed)) : lost).withSharedLink(isShared)
            .withPairingClue(clue, hasBond: isBonded && clue == .possible)
            .withSuspectedBondLoss(isBondSuspected)
    }

    /// Whether the link may have ended because it could not be encrypted with the bond (Q87).
    ///
    /// bluetoothd requests encryption when the link of a device with a bond comes up. If the peripheral has no bond,
    /// the link ends soon, before a reply to any operation. A later loss has another cause.
    /// The link of another program may be older than the use of it, and encrypted since then.
    private func hasEndedBeforeEncryption(isShared: Bool) -> Bool {
        let signalled = isShared ? client.mirror.devices[key]?.connectedAt : nil
        return !queue.hasReply && client.settings.elapsed(since: signalled ?? openedAt) <= Self.longestEncryption
    }

    /// The longest time until a link ends that the peripheral does not encrypt.
    ///
    /// It is shorter than the transaction time-out of ATT, after which bluetoothd closes a link by itself.
    private static let longestEncryption = Duration.seconds(25)

    /// Returns what is known about a pairing if no missing reply proves it.
    private func pairingClue(
        _ operation: (opensNotifySocket: Bool, isAnswered: Bool)?, isShared: Bool
    ) -> BluetoothError.PairingClue {
        if pairing?.isCalling == true { return .duringPairing }
        // The pairing for the battery level begins with the link, so it is not that of a link that existed before.
        if !isShared, isBatteryLevelSuspected { return .batteryLevel }
        return operation == nil || showsLostOperations ? .none : .possible
    }

    /// Whether bluetoothd, and not an operation, may have begun a pairing, because the battery level may require it.
    var isBatteryLevelSuspected: Bool {
        !client.mirror.isBonded(key) && !queue.isRefused && !queue.hasReply && battery.isAwaited
    }

    /// Whether a missing reply to a socket request has another cause: up to 5.83, a request that fails has none, and
    /// `StartNotify` has shown before that it needs no pairing (Q132).
    ///
    /// Source: BlueZ 5.82, register_notify_io_cb in src/gatt-client.c.
    private func isUnclear(_ operation: (opensNotifySocket: Bool, isAnswered: Bool)) -> Bool {
        operation.opensNotifySocket && KnownProblem.mayAffect(client.version, .socketStartCrash)
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
