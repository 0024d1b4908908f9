import Rx

/// An adapter as itself, whatever number the kernel gives it: one that is plugged in again, or that a new bluetoothd shows,
/// may have another (Q28).
final class AdapterIdentity: Sendable {
    private struct State {
        var number: UInt16
        var address: BluetoothAddress?
    }

    private let state: Guarded<State>

    init(number: UInt16, address: BluetoothAddress?) { state = Guarded(State(number: number, address: address)) }

    /// The number of an adapter that is away while another one has its number. No adapter has this one.
    static let absent = UInt16.max

    /// Its present number, or the last one.
    var number: UInt16 {
        get { state.withLock(\.number) }
        set { state.withLock { $0.number = newValue } }
    }

    /// Its address; nil while bluetoothd has not told it.
    var address: BluetoothAddress? {
        get { state.withLock(\.address) }
        set { state.withLock { $0.address = newValue } }
    }
}

/// Which adapter has which number now.
struct AdapterIdentities {
    private var byNumber: [UInt16: AdapterIdentity] = [:]
    private var byAddress: [BluetoothAddress: AdapterIdentity] = [:]
    /// The adapters that were asked for by name.
    private var byName: [String: AdapterIdentity] = [:]

    /// The adapter that has a number.
    mutating func identity(of number: UInt16) -> AdapterIdentity {
        if let identity = byNumber[number] { return identity }
        let identity = AdapterIdentity(number: number, address: nil)
        byNumber[number] = identity
        return identity
    }

    /// The number of the adapter that had a name when it was first there; while that is away, of the one that has it now.
    func number(named name: String, among adapters: [UInt16: AdapterRecord]) -> UInt16? {
        if let known = byName[name], adapters[known.number] != nil { return known.number }
        return adapters.keys.first { "hci\($0)" == name }
    }

    /// The first adapter that was chosen by a name keeps it.
    mutating func bind(_ name: String, to number: UInt16) {
        if byName[name] == nil { byName[name] = identity(of: number) }
    }

    /// bluetoothd shows an adapter under a number. Whoever had that number before is away.
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
            identity = AdapterIdentity(number: number, address: address)
        }
        byAddress[address] = identity
        guard previous !== identity else { return }
        previous?.number = AdapterIdentity.absent
        if byNumber[identity.number] === identity { byNumber[identity.number] = nil }
        identity.number = number
        byNumber[number] = identity
    }
}
