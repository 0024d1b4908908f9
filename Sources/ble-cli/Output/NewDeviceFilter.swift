import RxBluetooth
import Rx

/// Tells which sightings are of a new device, or of one that has changed its name.
final class NewDeviceFilter: Sendable {
    private let names = Guarded<[BluetoothAddress: String?]>([:])
    private static let limit = 10_000

    @Sendable
    func isNew(_ sighting: ScannedPeripheral) -> Bool {
        names.withLock { names in
            let address = sighting.peripheral.address
            // Private addresses change for ever. Beginning anew now and then only shows a device twice.
            if names.count >= Self.limit, names[address] == nil { names.removeAll() }
            guard let name = names.updateValue(sighting.name, forKey: address) else { return true }
            return name != sighting.name
        }
    }
}
