/// The choice of the adapter for each selection.
extension BlueZClient {
    var candidates: AdapterCandidates {
        var linkCounts: [UInt16: Int] = [:]
        if mirror.adapters.count > 1 {
            for (key, device) in mirror.devices where device.isConnected { linkCounts[key.adapter, default: 0] += 1 }
        }
        return AdapterCandidates(records: mirror.adapters, linkCounts: linkCounts, peripherals: peripherals)
    }

    /// Returns the adapter that is chosen for a selection.
    func adapter(for selection: AdapterSelection) -> UInt16? { choices.adapter(for: selection, candidates) }

    /// Chooses the adapter for a selection, and keeps the choice up to date.
    func keepChoice(_ selection: AdapterSelection) { choices.keep(selection, candidates) }

    /// Chooses the adapter for a selection, and keeps the choice. Throws if the adapter cannot be used.
    func chooseAdapter(_ selection: AdapterSelection) throws(BluetoothError) -> UInt16 {
        keepChoice(selection)
        let adapter = adapter(for: selection)
        if let obstacle = obstacle(on: adapter) { throw obstacle }
        guard let adapter else { throw BluetoothError(.noAdapter) }
        return adapter
    }
}
