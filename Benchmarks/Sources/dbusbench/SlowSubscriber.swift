import Dispatch
import Glibc
import RxBluetooth
import Synchronization

/// A subscriber that needs 2 ms for each advertisement, with the default buffer.
enum SlowSubscriber {
    private static let delivered = Atomic(0)
    private static let dropped = Atomic(0)

    /// Returns a stream of advertisements, each of which takes 2 ms. At SIGTERM, prints both counts and exits.
    static func delays(_ manager: BluetoothManager) -> Observable<Int> {
        // Blocked before other threads exist, so that only `sigwait` receives the signal.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        DispatchQueue.global().async { [signals] in
            var (signals, number) = (signals, Int32(0))
            unsafe sigwait(&signals, &number)
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
