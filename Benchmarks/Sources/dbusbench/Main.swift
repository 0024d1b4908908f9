// Receives the signals of the generator in Benchmarks/DBus with the library.

// Table: usage. The process exits after COUNT advertisements or values, or runs until it is terminated.
//
//     dbusbench [--bus] advertise|notify|packet|management|slow [COUNT]
//
// --bus: delivers in the context of the bus instead of on a queue.
// slow: needs 2 ms for each advertisement. After a line on standard input, prints how many were delivered and dropped.

import Dispatch
import Glibc
import RxBluetooth

@main
enum Main {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let delivery: Delivery = arguments.first == "--bus" ? .inBusContext : .immediate
        if delivery == .inBusContext { arguments = arguments.dropFirst() }
        guard let what = arguments.first, let stream = stream(what, delivery) else {
            return print("Usage: dbusbench [--bus] advertise|notify|packet|management|slow [COUNT]")
        }
        let limit = arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        let counter = Counter(limit: limit)
        let subscription = stream.subscribe(
            onNext: { counter.add($0) },
            onError: { error in
                print("failed: \(error)")
                exit(1)
            })
        // Waits on a semaphore instead of calling dispatchMain(), which ends the main thread and makes valgrind fail.
        withExtendedLifetime(subscription) { DispatchSemaphore(value: 0).wait() }
    }

    /// Returns a stream of the sizes of the manufacturer data in all advertisements.
    private static func dataSizes(of manager: BluetoothManager, _ source: ScanSource) -> Observable<Int> {
        let options = ScanOptions(allowsDuplicates: true, buffer: .unbounded, source: source)
        return manager.scanForPeripherals(options: options)
            .map { $0.advertisementData.manufacturerData(of: 0x0059)?.count ?? 0 }
    }

    /// Returns a stream of the sizes of received elements; nil if `what` is not a known name.
    private static func stream(_ what: String, _ delivery: Delivery) -> Observable<Int>? {
        var configuration = BluetoothManager.Configuration(queue: DispatchQueue(label: "receiver"))
        configuration.delivery = delivery
        configuration.advertisements = GeneratorSocket()
        let manager = BluetoothManager(configuration: configuration)
        switch what {
        case "slow": return SlowSubscriber.delays(manager)
        case "advertise": return dataSizes(of: manager, .dbus)
        case "management": return dataSizes(of: manager, .management)
        case "notify": return values(of: manager, .signals)
        case "packet": return values(of: manager, .socket)
        default: return nil
        }
    }

    private static func values(of manager: BluetoothManager, _ transport: NotificationTransport) -> Observable<Int> {
        manager.retrieveConnectedPeripherals().asObservable()
            .flatMap { Observable.from($0) }
            .flatMap { $0.connect() }
            .flatMap { $0.discoverServices(["FFE0"]) }
            .flatMap { $0.discoverCharacteristics(["FFE1"]) }
            .flatMap { $0.observeValueUpdates(using: transport, buffer: ValueBuffer(capacity: 1_000_000)) }
            .map { $0.count }
    }
}

/// Counts elements, and exits the process at the limit.
private final class Counter: @unchecked Sendable {
    // Guard: only the manager's serial queue uses the counter.
    private let limit: Int
    private var count = 0
    private var bytes = 0

    init(limit: Int) { self.limit = limit }

    func add(_ size: Int) {
        count += 1
        bytes += size
        if count == limit { exit(0) }
    }
}
