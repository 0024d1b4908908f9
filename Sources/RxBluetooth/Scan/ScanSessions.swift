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

    /// Ends all scans; see ``ScanSession/fail(_:isStopping:)``.
    func fail(_ error: BluetoothError, isStopping: Bool = false) {
        for (_, session) in all { session.fail(error, isStopping: isStopping) }
    }

    /// Ends the scans with adapters that cannot be used any more, or that are not the ones to work with.
    func adaptersChanged() {
        for (adapter, session) in all {
            if let error = client.state(of: adapter)?.error { session.fail(error) } else { session.adapterChanged() }
        }
    }

    /// An adapter shows whether anybody discovers on it.
    func discoveringChanged(on adapter: UInt16, _ isDiscovering: Bool) {
        sessions[adapter]?.discoveringChanged(isDiscovering)
    }

    func sighted(_ key: DeviceKey) { sessions[key.adapter]?.sighted(key) }

    /// A link to a device came or went.
    func connectionChanged(_ key: DeviceKey) { sessions[key.adapter]?.connectionChanged(key) }

    func forget(_ key: DeviceKey) { sessions[key.adapter]?.forget(key) }

    /// What bluetoothd knows of an adapter, by address.
    func known(on adapter: UInt16) -> [ScannedPeripheral] { session(adapter).known }

    /// Whether this manager scans with an adapter.
    func isActive(on adapter: UInt16) -> Bool { sessions[adapter]?.isActive == true }

    /// How they stand, for a diagnosis.
    var examined: [Diagnosis.Scan] { all.compactMap(\.session.examined) }
}
