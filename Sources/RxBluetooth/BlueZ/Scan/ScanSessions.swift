/// The discovery sessions of a manager, one an adapter (Q37).
final class ScanSessions {
    private unowned let client: BlueZClient
    private var sessions: [UInt16: ScanSession] = [:]

    init(_ client: BlueZClient) { self.client = client }

    private func session(_ adapter: UInt16) -> ScanSession {
        if let session = sessions[adapter] { return session }
        let session = ScanSession(client, on: adapter)
        sessions[adapter] = session
        return session
    }

    private var all: [(adapter: UInt16, session: ScanSession)] {
        sessions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func add(_ subscriber: ScanSubscriber, on adapter: UInt16) { session(adapter).add(subscriber) }

    /// Fails all scans because bluetoothd is gone, which has ended the sessions.
    func lost(_ error: BluetoothError) {
        for (_, session) in all { session.lost(error) }
    }

    /// Fails all scans because the manager is closed, and stops the sessions.
    func close(_ error: BluetoothError) {
        for (_, session) in all { session.close(error) }
    }

    /// Ends the scans with adapters that cannot be used any more, or that are not the ones to work with.
    func adaptersChanged() {
        for (adapter, session) in all {
            if let error = client.state(of: adapter)?.error { session.lost(error) } else { session.adapterChanged() }
        }
    }

    /// An adapter shows whether anybody discovers on it.
    func discoveringChanged(on adapter: UInt16, _ isDiscovering: Bool) {
        sessions[adapter]?.discoveringChanged(isDiscovering)
    }

    /// An advertisement of a device was received.
    func received(_ key: DeviceKey) { sessions[key.adapter]?.received(key) }

    /// A link to a device came or went.
    func connectionChanged(_ key: DeviceKey) { sessions[key.adapter]?.connectionChanged(key) }

    /// bluetoothd has removed a device.
    func removed(_ key: DeviceKey) { sessions[key.adapter]?.removed(key) }

    /// What bluetoothd knows of an adapter, by address.
    func known(on adapter: UInt16) -> [ScannedPeripheral] { session(adapter).known }

    /// Whether this manager scans with an adapter.
    func isActive(on adapter: UInt16) -> Bool { sessions[adapter]?.isActive == true }

    /// The sessions for a diagnosis.
    var diagnosis: [Diagnosis.ScanStatus] { all.compactMap(\.session.diagnosis) }
}
