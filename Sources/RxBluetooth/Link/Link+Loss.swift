import DBus

/// Losing a link without our doing.
extension Link {
    /// `Connected` changed. While connecting it may flicker, and the reply decides (Q78).
    func connectedChanged(_ isConnected: Bool) {
        guard !isConnected else {
            wasSeenConnected = true
            return
        }
        switch phase {
        case .connected: lost(announced ?? .unknown)
        case .closing where isDisconnectAnswered: closed(nil)
        case .connecting, .losing, .closing, .ended: break
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
    func removed() { lost(.removed) }

    /// The link is down. An adapter that is switched off or unplugged drops its links first and is heard of next (Q32),
    /// so bluetoothd is asked how the adapter is before anybody is told why.
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
        task = client.readFlag("Powered", of: BlueZ.adapter, at: adapterPath(key.adapter)) { [weak self] result in
            guard let self, phase == .losing else { return }
            let isAdapterGone =
                switch result {
                case .success(let isPowered): !isPowered
                case .failure(let error):
                    BluetoothError(error, operation: .readState, target: nil).kind == .noAdapter
                }
            end(BluetoothError(.disconnected(isAdapterGone ? .adapter : reason)))
        }
    }

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

extension BlueZClient {
    /// Asks bluetoothd for a property that is a Boolean. Its answer comes after all that it has signalled before.
    @discardableResult
    func readFlag(
        _ name: String, of interface: String, at path: String,
        then: @escaping @Sendable (Result<Bool, DBusError>) -> Void
    ) -> BusTask? {
        call(
            path: path, interface: BlueZ.properties, member: "Get", deadline: settings.deadlines.cleanup
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
