import Rx
import RxTest
import Testing

@Suite struct WithLatestFromTests {
    let scheduler = TestScheduler(initialClock: 0)

    func hot(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createHotObservable(events) }

    @Test func usesTheLatestElementOfTheSecondStream() {
        let one = hot([.next(205, 0), .next(220, 1), .next(240, 2), .completed(260)])
        let two = hot([.next(210, 10), .next(230, 20), .completed(235)])
        let result = scheduler.start { one.withLatestFrom(two) { $0 + $1 } }
        #expect(result.events == [.next(220, 11), .next(240, 22), .completed(260)])
        #expect(one.subscriptions == [Subscription(200, 260)])
        #expect(two.subscriptions == [Subscription(200, 235)])
    }

    @Test func withoutASelectorElementsOfTheSecondStreamAreSent() {
        let one = hot([.next(205, 0), .next(220, 1), .error(260, TestError.first)])
        let two = hot([.next(210, 10)])
        let result = scheduler.start { one.withLatestFrom(two) }
        #expect(result.events == [.next(220, 10), .error(260, TestError.first)])
        #expect(two.subscriptions == [Subscription(200, 260)])
    }

    @Test func theSecondStreamIsSubscribedToFirst() {
        let log = Log<String>()
        let one = Observable<Int>.create { observer in
            log.add("one")
            observer.onNext(1)
            return Disposables.create()
        }
        let two = Observable<Int>.create { observer in
            log.add("two")
            observer.onNext(2)
            return Disposables.create()
        }
        one.withLatestFrom(two) { $0 * 10 + $1 }.subscribe(onNext: { log.add("\($0)") }).dispose()
        #expect(log.all == ["two", "one", "12"])
    }

    @Test func aThrowingSelectorFailsTheStream() {
        let one = hot([.next(220, 1)])
        let two = hot([.next(210, 2)])
        let result = scheduler.start { one.withLatestFrom(two) { _, _ -> Int in throw TestError.second } }
        #expect(result.events == [.error(220, TestError.second)])
        #expect(one.subscriptions == [Subscription(200, 220)])
        #expect(two.subscriptions == [Subscription(200, 220)])
    }
}
