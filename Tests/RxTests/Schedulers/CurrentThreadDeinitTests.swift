import Rx
import Testing

/// The current-thread scheduler releases finished work outside its lock.
///
/// A deinitializer that runs then can schedule further work.
@Suite struct CurrentThreadDeinitTests {
    @Test func aDeinitOfFinishedWorkMaySchedule() {
        final class Owner: Sendable {
            let goes: @Sendable () -> Void
            init(_ goes: @escaping @Sendable () -> Void) { self.goes = goes }
            deinit { goes() }
        }
        let log = Log<Int>()
        let scheduler = CurrentThreadScheduler.instance
        _ = scheduler.schedule(()) { _ in
            for number in 1...130 {
                let owner = Owner {
                    _ = Observable.of(number).subscribe(onNext: { log.add($0) })
                }
                _ = scheduler.schedule(owner) { _ in Disposables.create() }
            }
            return Disposables.create()
        }
        #expect(log.all == Array(1...130))
    }
}
