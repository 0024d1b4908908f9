/// The one object for each device (S46): while bluetoothd or the user keeps it, the same one is handed out.
final class PeripheralTable: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    weak var client: BlueZClient?
    private var known: [DeviceKey: WeakPeripheral] = [:]
    private var sweepAt = 64

    private struct WeakPeripheral {
        weak var peripheral: Peripheral?
    }

    func peripheral(for key: DeviceKey, kind: BluetoothAddress.Kind?) -> Peripheral {
        if let peripheral = known[key]?.peripheral { return peripheral }
        let peripheral = Peripheral(key: key, kind: kind, client: client)
        known[key] = WeakPeripheral(peripheral: peripheral)
        // Private addresses change for ever; entries that nobody uses go before the table doubles.
        if known.count >= sweepAt {
            known = known.filter { $0.value.peripheral != nil }
            sweepAt = max(64, known.count * 2)
        }
        return peripheral
    }
}
