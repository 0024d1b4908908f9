import DBus

/// Losing a link without our doing.
extension Link {
    /// `Connected` changed. While connecting it may flicker, and the reply decides (Q78).
    func connectedChanged(_ isConnected: Bool) {
        if phase == .connecting { return connectedChangedWhileConnecting(isConnected) }
        guard !isConnected else { return }
        switch phase {
        case .connected: lost(announced ?? .unknown)
        // A link whose attempt failed often ends by itself; the answer to `Disconnect` adds nothing then.
        case .closing where isDisconnectAnswered || hasFailed: closed(nil)
        // Of an attempt it may be a flicker (Q78).
        case .closing: wasSeenDown = !isClosingAttempt
        case .connecting, .losing, .ended: break
        }
    }

    /// A bluetoothd that tells why does so a moment before it shows that the link is down (Q86). What is not said, or said in a
    /// word that is not known, stays unknown. Source: BlueZ 5.83, `org.bluez.Device.rst`, `Disconnected`.
    func announce(_ reason: String) {
        announced =
            switch reason {
            case "org.bluez.Reason.Timeout": .timeout
            case "org.bluez.Reason.Local": .local
            case "org.bluez.Reason.Remote": .remote
            case "org.bluez.Reason.Authentication": .authentication
            case "org.bluez.Reason.Suspend": .suspend
            default: nil
            }
    }

    /// bluetoothd took the device away. It does not show `Connected` any more (Q61).
    func removed() {
        if phase == .connecting { removedWhileConnecting() } else { lost(.removed) }
    }

    /// The link is down. An adapter that is switched off or unplugged drops its links first and is heard of next (Q32): in the
    /// same breath where bluetoothd did it, and up to some hundredths of a second later where the kernel was asked by
    /// somebody else (`btmgmt`, rfkill). So a loss whose reason is open waits that long, and then bluetoothd is asked how
    /// the adapter is, since what it says of that may lie unread; only then is anybody told.
    private func lost(_ reason: BluetoothError.DisconnectReason) {
        switch phase {
        case .connecting, .connected: break
        case .closing: return closed(nil)
        case .losing, .ended: return
        }
        guard let adapter = client.adapters[key.adapter], adapter.isPowered, adapter.powerState != "on-disabling" else {
            return end(BluetoothError(.disconnected(.adapter)))
        }
        phase = .losing
        queue.suspend()
        guard reason.mayBeOfAdapter, deadlines.causeOfLoss > .zero else { return askAdapter(reason) }
        task = client.bus.schedule(after: deadlines.causeOfLoss) { [weak self] in self?.askAdapter(reason) }
    }

    private func askAdapter(_ reason: BluetoothError.DisconnectReason) {
        guard phase == .losing else { return }
        task = client.readFlag(
            "Powered", of: BlueZ.adapter, at: adapterPath(key.adapter), deadline: Self.patience
        ) { [weak self] result in
            guard let self, phase == .losing else { return }
            let isAdapterGone =
                switch result {
                case .success(let isPowered): !isPowered
                case .failure(let error):
                    BluetoothError(error, operation: .readState, target: nil).kind == .noAdapter
                }
            end(isAdapterGone ? BluetoothError(.disconnected(.adapter)) : loss(reason))
        }
        // The call has no deadline of its own as long as it waits behind others (Q9).
        deadline = client.bus.schedule(after: Self.patience) { [weak self] in
            guard let self, phase == .losing else { return }
            end(loss(reason))
        }
    }

    /// bluetoothd 5.66 does not say that a link ended because pairing failed (Q121). It may have been so if its question to our agent
    /// belongs to the operation that was under way, and no bond resulted. A peripheral out of reach looks the same.
    private func loss(_ reason: BluetoothError.DisconnectReason) -> BluetoothError {
        guard reason == .unknown || reason == .remote, queue.isPairing, client.devices[key]?.isBonded != true else {
            return BluetoothError(.disconnected(reason))
        }
        return BluetoothError(.disconnected(.authentication)).inferred
    }

    /// How long a bluetoothd that hangs is waited for: a loss is told within a second all the same.
    private static let patience = Duration.milliseconds(500)

    /// The link is gone, and it is known why.
    func lost(_ cause: BluetoothError) {
        if phase == .closing { closed(nil) } else { end(cause) }
    }

    /// bluetoothd took a characteristic away. When the whole device goes, its characteristics go first, so what comes
    /// next is waited for: then it is the link that was lost.
    func removed(_ key: CharacteristicKey) {
        guard let session = notifications[key] else { return }
        session.isDoomed = true
        client.readFlag("Connected", of: BlueZ.device, at: self.key.path) { [weak self] _ in
            guard let self, phase == .connected, notifications[key] === session else { return }
            remove(session, key)
        }
    }

    /// Ends the notifications of a characteristic that is gone.
    func remove(_ session: NotifySession, _ key: CharacteristicKey) {
        notifications[key] = nil
        session.ended(BlueZClient.gone)
    }
}

extension BluetoothError.DisconnectReason {
    /// Whether a link that ended like this may have ended because the adapter is being switched off. Linux tells
    /// bluetoothd of the remote side in that case, for it closes links with "remote device terminated due to power off".
    /// Source: Linux 6.1, `hci_power_off_sync` and `hci_to_mgmt_reason`; seen in the lab.
    fileprivate var mayBeOfAdapter: Bool {
        switch self {
        case .unknown, .local, .remote: true
        // bluetoothd takes away a device without a bond when connecting to it fails.
        case .removed: true
        default: false
        }
    }
}

extension BlueZClient {
    /// Asks bluetoothd for a property that is a Boolean. Its answer comes after all that it has signalled before.
    @discardableResult
    func readFlag(
        _ name: String, of interface: String, at path: String, deadline: Duration? = nil,
        then: @escaping (Result<Bool, DBusError>) -> Void
    ) -> BusTask? {
        call(
            path: path, interface: BlueZ.properties, member: "Get", deadline: deadline ?? settings.deadlines.cleanup
        ) { (body) throws(DBusError) in
            try body.string(interface)
            try body.string(name)
        } then: { result in
            then(
                result.flatMap { reply in
                    do throws(DBusError) {
                        return .success(
                            try reply.read { (body) throws(DBusError) in
                                try body.variant { (value) throws(DBusError) in try value.bool() }
                            })
                    } catch { return .failure(error) }
                })
        }
    }
}
