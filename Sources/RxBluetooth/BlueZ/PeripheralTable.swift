import Rx

/// The one object for each device of a manager (S46): while bluetoothd or the user keeps it, the same one is handed out,
/// also after the bus was lost and opened again, and after the adapter came back under another number (Q28).
final class PeripheralTable: Sendable {
    private struct State {
        var known: [DeviceIdentity: WeakPeripheral] = [:]
        var adapters = AdapterIdentities()
        var sweepAt = 64
        var links: UInt64 = 0
        /// How many peripherals there have been.
        var peripherals: UInt64 = 0
    }

    /// A device of an adapter.
    private struct DeviceIdentity: Hashable {
        let adapter: ObjectIdentifier
        let address: BluetoothAddress
    }

    private struct WeakPeripheral {
        weak var peripheral: Peripheral?
        /// Kept, so that no other adapter gets its identity in the table.
        let adapter: AdapterIdentity
    }

    private let state = Guarded(State())

    func peripheral(for key: DeviceKey, kind: BluetoothAddress.Kind?, of access: BlueZAccess?) -> Peripheral {
        state.withLock { state in
            let adapter = state.adapters.identity(of: key.adapter)
            let place = DeviceIdentity(adapter: ObjectIdentifier(adapter), address: key.address)
            if let peripheral = state.known[place]?.peripheral { return peripheral }
            state.peripherals += 1
            let peripheral = Peripheral(
                key.address, of: adapter, kind: kind, access: access, number: state.peripherals)
            state.known[place] = WeakPeripheral(peripheral: peripheral, adapter: adapter)
            // Private addresses change for ever; entries that nobody uses go before the table doubles.
            if state.known.count >= state.sweepAt {
                state.known = state.known.filter { $0.value.peripheral != nil }
                state.sweepAt = max(64, state.known.count * 2)
            }
            return peripheral
        }
    }

    /// How many entries there are, also of peripherals that are gone.
    var entryCount: Int { state.withLock { $0.known.count } }

    /// The peripherals whose connections are made again when they are lost.
    var reconnecting: [Peripheral] {
        let all = state.withLock { state in state.known.values.compactMap(\.peripheral) }
        return all.filter { $0.reconnector != nil }
    }

    /// bluetoothd shows an adapter; its peripherals are reached by its number from now on.
    func follow(_ adapter: AdapterRecord) {
        state.withLock { $0.adapters.follow(adapter.number, address: adapter.address) }
    }

    /// The number of the adapter that was selected by name, under whatever name it is there now.
    func adapter(named name: String, among adapters: [UInt16: AdapterRecord]) -> UInt16? {
        state.withLock { $0.adapters.number(named: name, among: adapters) }
    }

    /// The first adapter that was chosen by a name keeps it.
    func bind(_ name: String, to adapter: UInt16) { state.withLock { $0.adapters.bind(name, to: adapter) } }

    /// A number that no connection of the manager had before.
    func nextLinkNumber() -> UInt64 {
        state.withLock { state in
            state.links += 1
            return state.links
        }
    }
}
