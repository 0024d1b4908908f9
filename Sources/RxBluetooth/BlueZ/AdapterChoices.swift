/// The adapters that can be chosen, with what decides between them.
struct AdapterCandidates: Sendable {
    let records: [UInt16: AdapterRecord]
    /// How many devices are connected over each adapter, if there are several adapters.
    let linkCounts: [UInt16: Int]
    let peripherals: PeripheralTable

    /// The adapter for a selection; nil if there is none.
    ///
    /// - Parameter current: The adapter that was chosen before.
    func adapter(for selection: AdapterSelection, current: UInt16?) -> UInt16? {
        switch selection {
        case .automatic:
            let centrals = records.values.filter(\.isCentral)
                .sorted { (linkCounts[$0.number] ?? 0, $0.number) < (linkCounts[$1.number] ?? 0, $1.number) }
            if let current, let adapter = records[current], adapter.isCentral,
                adapter.isPowered || !centrals.contains(where: \.isPowered)
            {
                return current
            }
            return (centrals.first(where: \.isPowered) ?? centrals.first)?.number
        case .named(let name): return peripherals.adapter(named: name, among: records)
        case .address(let address): return records.values.filter { $0.address == address }.map(\.number).min()
        }
    }
}

/// The adapter that is chosen for each selection.
struct AdapterChoices: Sendable {
    private var chosen: [AdapterSelection: UInt16?]

    /// - Parameter selection: The manager's own.
    init(_ selection: AdapterSelection) { chosen = [selection: nil] }

    /// The adapter that is chosen for a selection, or would be.
    func adapter(for selection: AdapterSelection, _ candidates: @autoclosure () -> AdapterCandidates) -> UInt16? {
        if let adapter = chosen[selection] { return adapter }
        return candidates().adapter(for: selection, current: nil)
    }

    /// Chooses an adapter for a selection, and keeps the choice up to date from then on.
    mutating func keep(_ selection: AdapterSelection, _ candidates: @autoclosure () -> AdapterCandidates) {
        if chosen[selection] == nil { choose(selection, current: nil, candidates()) }
    }

    /// The adapters have changed.
    mutating func update(_ candidates: AdapterCandidates) {
        for (selection, current) in chosen { choose(selection, current: current, candidates) }
    }

    /// The adapters are gone.
    mutating func reset() { chosen = chosen.mapValues { _ in nil } }

    private mutating func choose(_ selection: AdapterSelection, current: UInt16?, _ candidates: AdapterCandidates) {
        let adapter = candidates.adapter(for: selection, current: current)
        chosen[selection] = .some(adapter)
        // From now on the name means this adapter, whatever number it has later (Q28).
        if case .named(let name) = selection, let adapter { candidates.peripherals.bind(name, to: adapter) }
    }
}
