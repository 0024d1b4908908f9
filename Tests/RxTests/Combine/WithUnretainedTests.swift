import Rx
import RxTest
import Testing

@Suite struct WithUnretainedTests {
    final class Screen: Sendable {
        let name = "screen"
    }

    /// Retains an object until the test calls `letGo()`.
    final class Owner: Sendable {
        private let screen = Guarded<Screen?>(Screen())
        var current: Screen { screen.withLock { $0 } ?? Screen() }
        func letGo() { screen.withLock { $0 = nil } }
    }

    @Test func combinesElementsWithTheObject() {
        let screen = Screen()
        check(
            [.next(210, 1), .next(220, 2), .completed(230)] as [RecordedEvent<Int>],
            gives: [.next(210, "screen 1"), .next(220, "screen 2"), .completed(230)], lives: (200, 230)
        ) { stream, _ in stream.withUnretained(screen).map { "\($0.name) \($1)" } }
        check(
            failing, gives: [.next(210, "screen1"), .next(220, "screen2"), .error(225, TestError.first)],
            lives: (200, 225)
        ) {
            stream, _ in stream.withUnretained(screen) { "\($0.name)\($1)" }
        }
        check(usual, disposed: 215, gives: [.next(210, 1)], lives: (200, 215)) { stream, _ in
            stream.withUnretained(screen) { $1 }
        }
    }

    @Test func completesAtTheFirstElementAfterTheObjectIsReleased() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let owner = Owner()
        scheduler.scheduleAt(225) { owner.letGo() }
        let result = scheduler.start { source.withUnretained(owner.current) { $1 } }
        #expect(result.events == [.next(210, 1), .next(220, 2), .completed(230)])
        #expect(source.subscriptions == [Subscription(200, 230)])
    }

    @Test func disposalInsideAnElementStopsTheStream() {
        let screen = Screen()
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let holder = Holder()
        holder.hold(
            subject.withUnretained(screen).subscribe(onNext: {
                log.add($1)
                holder.drop()
            }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all == [1])
        #expect(!subject.hasObservers)
    }
}
