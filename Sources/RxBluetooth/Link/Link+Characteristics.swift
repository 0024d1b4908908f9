import DBus

/// Characteristics that bluetoothd removes while the link is up.
extension Link {
    /// bluetoothd has removed a characteristic. It removes those of a lost device first, so it is asked whether the link is up.
    func removed(_ key: CharacteristicKey) {
        guard let session = notifications[key] else { return }
        session.isDoomed = true
        client.readFlag("Connected", of: BlueZ.device, at: self.key.path) { [weak self] _ in
            guard let self, isConnected, notifications[key] === session else { return }
            remove(session, key)
        }
    }

    /// Ends the notifications of a characteristic that is gone.
    func remove(_ session: NotifySession, _ key: CharacteristicKey) {
        notifications[key] = nil
        session.ended(BlueZClient.gone)
    }
}
