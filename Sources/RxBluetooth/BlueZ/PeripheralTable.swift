import Rx

/// The `Peripheral` objects of a manager, one for each device (S46).
///
/// The table does not keep an object alive: the record of the device or the user does. A device keeps its object when
/// the bus was lost and opened again, and when its adapter returns under another number (Q28).
final class PeripheralTable: Sendable {
    /// The peripherals and adapters seen so far.
    private struct State {
        var known: [DeviceIdentity: WeakPeripheral] = [:]
        var adapters = AdapterIdentities()
        var sweepAt = 64
        var links: UInt64 = 0
        /// The number of peripherals created so far.
        var peripherals: UInt64 = 0
    }

    /// The identity of a device: its adapter's identity, which is never deallocated, and its address.
    private struct DeviceIdentity: Hashable {
        let adapter: ObjectIdentifier
        let address: BluetoothAddress
    }

    /// An entry of the table, which does not keep its peripheral alive.
    private struct WeakPeripheral {
        weak var peripheral: Peripheral?
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
            state.known[place] = WeakPeripheral(peripheral: peripheral)
            // Private addresses change constantly, so unused entries are removed before the table doubles.
            if state.known.count >= state.sweepAt {
                state.known = state.known.filter { $0.value.peripheral != nil }
                state.sweepAt = max(64, state.known.count * 2)
            }
            return peripheral
        }
    }

    /// The number of entries, including those of released peripherals.
    var entryCount: Int { state.withLock { $0.known.count } }

    /// The peripherals with a connection that reconnects.
    var reconnecting: [Peripheral] {
        let all = state.withLock { state in state.known.values.compactMap(\.peripheral) }
        return all.filter { $0.reconnector != nil }
    }

    /// Records the present number of an adapter that bluetoothd shows.
    func follow(_ adapter: AdapterRecord) {
        state.withLock { $0.adapters.follow(adapter.number, address: adapter.address) }
    }

    /// Returns the present number of the adapter that was selected by name.
    func adapter(named name: String, among adapters: [UInt16: AdapterRecord]) -> UInt16? {
        state.withLock { $0.adapters.number(named: name, among: adapters) }
    }

    /// Binds a name to an adapter, unless the name is bound already.
    func bind(_ name: String, to adapter: UInt16) { state.withLock { $0.adapters.bind(name, to: adapter) } }

    /// Returns a number that no earlier connection of the manager has.
    func nextLinkNumber() -> UInt64 {
        state.withLock { state in
            state.links += 1
            return state.links
        }
    }
}
