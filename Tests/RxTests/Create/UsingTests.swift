import Rx
import RxTest
import Testing

@Suite struct UsingTests {
    let scheduler = TestScheduler(initialClock: 0)

    /// A resource that calls a closure when it is disposed of.
    final class Resource: Disposable {
        private let close: @Sendable () -> Void
        init(_ close: @escaping @Sendable () -> Void) { self.close = close }
        func dispose() { close() }
    }

    @Test(arguments: [(1000, 250), (230, 230)])
    func theResourceIsDisposedOfWithTheSubscription(_ disposed: Int, _ end: Int) {
        let scheduler = scheduler
        let opened = Log<Int>()
        let closed = Log<Int>()
        let source = scheduler.createHotObservable([.next(210, 1), .completed(250)] as [RecordedEvent<Int>])
        let result = scheduler.start(disposed: disposed) {
            Observable.using(
                {
                    opened.add(scheduler.clock)
                    return Resource { closed.add(scheduler.clock) }
                }, observableFactory: { _ in source.asObservable() })
        }
        #expect(result.events == [.next(210, 1)] + (end == 250 ? [.completed(250)] : []))
        #expect(opened.all == [200])
        #expect(closed.all == [end])
        #expect(source.subscriptions == [Subscription(200, end)])
    }

    @Test func anErrorDisposesOfTheResource() {
        let scheduler = scheduler
        let closed = Log<Int>()
        let source = scheduler.createHotObservable([.error(240, TestError.first)] as [RecordedEvent<Int>])
        let result = scheduler.start {
            Observable.using(
                { Resource { closed.add(scheduler.clock) } },
                observableFactory: { _ in source.asObservable() })
        }
        #expect(result.events == [.error(240, TestError.first)])
        #expect(closed.all == [240])
    }

    @Test func aThrowingResourceFactoryFailsTheStream() {
        let result = scheduler.start {
            Observable<Int>.using(
                { () -> Resource in throw TestError.first }, observableFactory: { _ in .just(1) })
        }
        #expect(result.events == [.error(200, TestError.first)])
    }

    @Test func aThrowingStreamFactoryFailsTheStreamThenDisposesOfTheResource() {
        let log = Log<String>()
        _ = Observable<Int>.using(
            { Resource { log.add("closed") } }, observableFactory: { _ in throw TestError.first }
        )
        .subscribe(onError: { log.add("\($0)") })
        #expect(log.all == ["first", "closed"])
    }

    @Test func theStreamIsDisposedOfBeforeTheResource() {
        let log = Log<String>()
        Observable<Int>.using(
            { Resource { log.add("closed") } },
            observableFactory: { _ in
                Observable.create { _ in
                    log.add("subscribed")
                    return Disposables.create { log.add("stream disposed") }
                }
            }
        ).subscribe().dispose()
        #expect(log.all == ["subscribed", "stream disposed", "closed"])
    }
}
