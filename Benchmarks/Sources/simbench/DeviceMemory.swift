import FoundationEssentials
import Glibc
import RxBluetooth
import RxBluetoothMocks
import RxTest

/// Measures the memory of a device as the growth of the process.
///
/// The measurement must run first in a process, because later allocations reuse released memory.
enum DeviceMemory {
    /// The bytes per device, for each of its three representations.
    ///
    /// These are the description in the simulation, the object in bluetoothd, and the state in RxBluetooth.
    struct Outcome: CustomStringConvertible {
        let described: Int
        let known: Int
        let seen: Int

        var description: String {
            "a device costs \(described) bytes as a description, \(known) as an object of bluetoothd, "
                + "\(seen) in a client with RxBluetooth"
        }
    }

    static func ofDevices(_ count: Int) -> Outcome {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let empty = resident
        let simulation = Simulation(.crowd(of: count, every: .milliseconds(500)), scheduler: scheduler)
        let described = resident
        // A competing client scans first, so that bluetoothd has objects of all devices before the client is measured.
        simulation.bluez.competingClient().startDiscovery(["DuplicateData": .bool(true)])
        scheduler.advanceTo(5_000)
        let known = resident
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let scan = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)).subscribe()
        scheduler.advanceTo(10_000)
        let seen = resident
        scan.dispose()
        withExtendedLifetime((simulation, manager)) {}
        return Outcome(
            described: (described - empty) / count, known: (known - described) / count, seen: (seen - known) / count)
    }

    /// The resident memory of the process in bytes.
    private static var resident: Int {
        let text = FileManager.default.contents(atPath: "/proc/self/statm").map { String(decoding: $0, as: UTF8.self) }
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard let pages else { preconditionFailure("/proc/self/statm cannot be read.") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
