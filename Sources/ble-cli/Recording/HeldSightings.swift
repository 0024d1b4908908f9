import Rx
import RxBluetooth

/// The advertisements that arrive before the device to record is known.
///
/// A device that is connected may not advertise any more, so its earlier advertisements are recorded, too.
final class HeldSightings: Sendable {
    private let sightings = Guarded<[ScannedPeripheral]>([])
    /// The most advertisements that are held. If there are more, the older half is dropped.
    static let limit = 2_000

    func add(_ sighting: ScannedPeripheral) {
        sightings.withLock { sightings in
            if sightings.count == Self.limit { sightings.removeFirst(Self.limit / 2) }
            sightings.append(sighting)
        }
    }

    /// Removes all advertisements. Returns those of one device, in the order of their arrival.
    func take(_ address: BluetoothAddress) -> [ScannedPeripheral] {
        let all = sightings.withLock { sightings in
            defer { sightings = [] }
            return sightings
        }
        return all.filter { $0.peripheral.address == address }
    }
}
