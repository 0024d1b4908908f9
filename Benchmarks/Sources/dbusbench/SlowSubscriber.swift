import Dispatch
import Glibc
import RxBluetooth
import Synchronization

/// A subscriber that needs 2 ms for each advertisement, with the default buffer.
enum SlowSubscriber {
    private static let delivered = Atomic(0)
    private static let dropped = Atomic(0)

    /// Returns a stream of advertisements, each of which takes 2 ms.
    ///
    /// At the end of a line on standard input, prints both counts and exits.
    static func delays(_ manager: BluetoothManager) -> Observable<Int> {
        DispatchQueue.global().async {
            _ = readLine()
            print(delivered.load(ordering: .relaxed), dropped.load(ordering: .relaxed))
            exit(0)
        }
        let drops = manager.events.flatMap { event -> Observable<Int> in
            if case .scanResultsDropped(let count, _) = event.kind { dropped.add(count, ordering: .relaxed) }
            return .empty()
        }
        let results = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, source: .dbus))
            .map { _ -> Int in
                usleep(2_000)
                delivered.add(1, ordering: .relaxed)
                return 1
            }
        return Observable.merge(results, drops)
    }
}
