import Rx

/// The one object for each device of a manager (S46): while bluetoothd or the user keeps it, the same one is handed out,
/// also after the bus was lost and opened again.
final class PeripheralTable: Sendable {
    private struct State {
        var known: [DeviceKey: WeakPeripheral] = [:]
        var sweepAt = 64
        var links: UInt64 = 0
    }

    private struct WeakPeripheral {
        weak var peripheral: Peripheral?
    }

    private let state = Guarded(State())

    func peripheral(for key: DeviceKey, kind: BluetoothAddress.Kind?, of access: BlueZAccess?) -> Peripheral {
        state.withLock { state in
            if let peripheral = state.known[key]?.peripheral { return peripheral }
            let peripheral = Peripheral(key: key, kind: kind, access: access)
            state.known[key] = WeakPeripheral(peripheral: peripheral)
            // Private addresses change for ever; entries that nobody uses go before the table doubles.
            if state.known.count >= state.sweepAt {
                state.known = state.known.filter { $0.value.peripheral != nil }
                state.sweepAt = max(64, state.known.count * 2)
            }
            return peripheral
        }
    }

    /// A number that no connection of the manager had before.
    func nextLinkNumber() -> UInt64 {
        state.withLock { state in
            state.links += 1
            return state.links
        }
    }
}
