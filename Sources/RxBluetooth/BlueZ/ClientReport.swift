/// A report of the client's state, which ``BlueZAccess`` receives after each change.
struct ClientReport: Sendable {
    /// Why Bluetooth cannot be used with any adapter; nil if it can.
    let obstacle: BluetoothState?
    /// The cause of `obstacle` if it is more than the state itself; otherwise nil.
    let failure: BluetoothError?
    let choices: AdapterChoices
    let candidates: AdapterCandidates
    /// The version of the running bluetoothd; nil if it is not known.
    let daemonVersion: BlueZVersion?
    /// The adapters with which this manager scans.
    let scanning: Set<UInt16>
    /// Why the last request to switch an adapter failed.
    let powerFailures: [UInt16: BluetoothError]
    /// Whether the bus is lost, so that no other report of this client follows.
    let isFinal: Bool

    /// Returns the adapter that is chosen for a selection.
    func adapter(for selection: AdapterSelection) -> UInt16? { choices.adapter(for: selection, candidates) }

    /// Returns the state of Bluetooth with the adapter of a selection.
    func state(_ selection: AdapterSelection) -> BluetoothState {
        obstacle ?? AdapterRecord.state(adapter(for: selection).flatMap { candidates.records[$0] })
    }

    /// Returns why Bluetooth cannot be used with the adapter of a selection; nil if it can.
    func error(_ selection: AdapterSelection) -> BluetoothError? {
        obstacle.flatMap { failure ?? $0.error } ?? state(selection).error
    }

    /// Returns the adapters, sorted by number.
    func adapters(_ selection: AdapterSelection) -> [Adapter] {
        Adapter.list(candidates.records, selected: obstacle == nil ? adapter(for: selection) : nil)
    }

    /// Returns whether this manager scans with the adapter of a selection.
    func isScanning(_ selection: AdapterSelection) -> Bool {
        obstacle == nil && adapter(for: selection).map(scanning.contains) == true
    }

    /// Returns the power of the adapter of a selection.
    func power(_ selection: AdapterSelection) -> AdapterPower {
        if let obstacle { return AdapterPower(adapterName: nil, state: nil, failure: failure ?? obstacle.error) }
        guard let number = adapter(for: selection), let record = candidates.records[number] else {
            return AdapterPower(adapterName: nil, state: nil, failure: BluetoothError(.noAdapter))
        }
        let name = "hci\(number)"
        let state = record.powerState.flatMap(Adapter.PowerState.init(rawValue:)) ?? (record.isPowered ? .on : .off)
        let blocked = state == .offBlocked ? BluetoothError(.blocked, target: name) : nil
        return AdapterPower(adapterName: name, state: state, failure: powerFailures[number] ?? blocked)
    }
}
