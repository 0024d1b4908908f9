import Rx

/// The adapters to choose from, with the facts that decide the choice.
struct AdapterCandidates: Sendable {
    let records: [UInt16: AdapterRecord]
    /// The number of connected devices of each adapter; empty if there is only one adapter.
    let linkCounts: [UInt16: Int]
    let peripherals: PeripheralTable

    /// Returns the adapter for a selection; nil if there is none.
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

/// The chosen adapter of each selection.
struct AdapterChoices: Sendable {
    private var chosen: [AdapterSelection: UInt16?]

    /// - Parameter selection: The selection of the manager's settings.
    init(_ selection: AdapterSelection) { chosen = [selection: nil] }

    /// Returns the adapter that is chosen for a selection.
    ///
    /// If no choice is kept for the selection, returns the adapter that would be chosen now.
    func adapter(for selection: AdapterSelection, _ candidates: @autoclosure () -> AdapterCandidates) -> UInt16? {
        if let adapter = chosen[selection] { return adapter }
        return candidates().adapter(for: selection, current: nil)
    }

    /// Chooses an adapter for a selection, and keeps the choice up to date from then on.
    mutating func keep(_ selection: AdapterSelection, _ candidates: @autoclosure () -> AdapterCandidates) {
        if chosen[selection] == nil { choose(selection, current: nil, candidates()) }
    }

    /// Updates all choices, because the adapters have changed.
    mutating func update(_ candidates: AdapterCandidates) {
        for (selection, current) in chosen { choose(selection, current: current, candidates) }
    }

    /// Clears all choices, because the adapters are gone.
    mutating func reset() { chosen = chosen.mapValues { _ in nil } }

    private mutating func choose(_ selection: AdapterSelection, current: UInt16?, _ candidates: AdapterCandidates) {
        let adapter = candidates.adapter(for: selection, current: current)
        chosen[selection] = .some(adapter)
        // The name is bound to the adapter, so that it means the same adapter under another number (Q28).
        if case .named(let name) = selection, let adapter { candidates.peripherals.bind(name, to: adapter) }
    }
}

/// The identity of an adapter, independent of its number.
///
/// The kernel may give another number to an adapter that is plugged in again or that a new bluetoothd shows (Q28).
final class AdapterIdentity: Sendable {
    /// The present number and the address.
    private struct State {
        var number: UInt16
        var address: BluetoothAddress?
    }

    private let state: Guarded<State>

    init(number: UInt16, address: BluetoothAddress?) { state = Guarded(State(number: number, address: address)) }

    /// Stands for no number: the adapter is absent, and another adapter has got its number.
    static let absent = UInt16.max

    /// The present number. If the adapter is absent, its last number or `absent`.
    var number: UInt16 {
        get { state.withLock(\.number) }
        set { state.withLock { $0.number = newValue } }
    }

    /// The address; nil until bluetoothd has reported it.
    var address: BluetoothAddress? {
        get { state.withLock(\.address) }
        set { state.withLock { $0.address = newValue } }
    }
}

/// The identities of adapters by their present numbers, addresses and names.
struct AdapterIdentities {
    /// All identities. Retained, so that no other adapter gets the `ObjectIdentifier` of one that is gone.
    private var all: [AdapterIdentity] = []
    private var byNumber: [UInt16: AdapterIdentity] = [:]
    private var byAddress: [BluetoothAddress: AdapterIdentity] = [:]
    /// The adapters that were selected by name.
    private var byName: [String: AdapterIdentity] = [:]

    /// Returns the identity of the adapter with a number; creates the identity if there is none.
    mutating func identity(of number: UInt16) -> AdapterIdentity {
        if let identity = byNumber[number] { return identity }
        let identity = newIdentity(number, nil)
        byNumber[number] = identity
        return identity
    }

    private mutating func newIdentity(_ number: UInt16, _ address: BluetoothAddress?) -> AdapterIdentity {
        let identity = AdapterIdentity(number: number, address: address)
        all.append(identity)
        return identity
    }

    /// Returns the number of the adapter that a name is bound to.
    ///
    /// If that adapter is absent, returns the number of the adapter that has the name now.
    func number(named name: String, among adapters: [UInt16: AdapterRecord]) -> UInt16? {
        if let known = byName[name], adapters[known.number] != nil { return known.number }
        return adapters.keys.first { "hci\($0)" == name }
    }

    /// Binds a name to an adapter, unless the name is bound already.
    mutating func bind(_ name: String, to number: UInt16) {
        if byName[name] == nil { byName[name] = identity(of: number) }
    }

    /// Records the number under which bluetoothd shows an adapter.
    ///
    /// If another adapter had the number before, that adapter becomes absent.
    mutating func follow(_ number: UInt16, address: BluetoothAddress?) {
        guard let address else { return _ = identity(of: number) }
        let previous = byNumber[number]
        let identity: AdapterIdentity
        if let known = byAddress[address] {
            identity = known
        } else if let previous, previous.address == nil {
            identity = previous
            identity.address = address
        } else {
            identity = newIdentity(number, address)
        }
        byAddress[address] = identity
        guard previous !== identity else { return }
        previous?.number = AdapterIdentity.absent
        if byNumber[identity.number] === identity { byNumber[identity.number] = nil }
        identity.number = number
        byNumber[number] = identity
    }
}
