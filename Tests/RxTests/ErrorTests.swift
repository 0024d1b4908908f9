import Dispatch
import Rx
import RxTest
import Testing

@Suite struct ErrorTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func catchGoesOnWithWhatTheHandlerMakes() {
        let other = scheduler.createColdObservable([.next(10, 9), .completed(20)] as [Line<Int>])
        let source = scheduler.createHotObservable(failing)
        let result = scheduler.start { source.catch { _ in other.asObservable() } }
        #expect(result.events == [.next(210, 1), .next(220, 2), .next(235, 9), .completed(245)])
        #expect(source.subscriptions == [Subscription(200, 225)])
        #expect(other.subscriptions == [Subscription(225, 245)])
    }

    @Test func catchWithAHandlerThatThrowsFails() {
        check(failing, gives: [.next(210, 1), .next(220, 2), .error(225, TestError.second)], lives: (200, 225)) {
            stream, _ in stream.catch { _ in throw TestError.second }
        }
    }

    @Test func catchAndReturnEndsWell() {
        check(failing, gives: [.next(210, 1), .next(220, 2), .next(225, 7), .completed(225)], lives: (200, 225)) {
            stream, _ in stream.catchAndReturn(7)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in stream.catchAndReturn(7) }
    }

    @Test func retrySubscribesAgain() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.first)] as [Line<Int>])
        let result = scheduler.start(disposed: 255) { source.retry() }
        #expect(result.events == [.next(210, 1), .next(230, 1), .next(250, 1)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240), Subscription(240, 255)])
    }

    @Test func retryGivesUpAfterItsCount() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.first)] as [Line<Int>])
        let result = scheduler.start { source.retry(2) }
        #expect(result.events == [.next(210, 1), .next(230, 1), .error(240, TestError.first)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
    }

    @Test func retryWhenWaitsForItsSignal() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.first)] as [Line<Int>])
        let scheduler = scheduler
        let result = scheduler.start(disposed: 300) {
            source.retry(when: { (errors: Observable<any Error>) in
                errors.delay(.seconds(30), scheduler: scheduler)
            })
        }
        #expect(result.events == [.next(210, 1), .next(260, 1)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(250, 270)])
    }

    @Test func retryWhenEndsWithItsSignal() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.first)] as [Line<Int>])
        let result = scheduler.start {
            source.retry(when: { (errors: Observable<any Error>) in
                errors.flatMap { error -> Observable<Int> in .error(error) }
            })
        }
        #expect(result.events == [.next(210, 1), .error(220, TestError.first)])
    }

    @Test func ifEmptyStandsIn() {
        check([.completed(220)] as [Line<Int>], gives: [.next(220, 5), .completed(220)], lives: (200, 220)) {
            stream, _ in stream.ifEmpty(default: 5)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in stream.ifEmpty(default: 5) }
    }

    @Test func doRunsItsHooksInOrder() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            log.add("source")
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.add("source disposed") }
        }
        _ = source.do(
            onNext: { _ in log.add("do next") }, afterNext: { _ in log.add("after next") },
            onCompleted: { log.add("do completed") }, afterCompleted: { log.add("after completed") },
            onSubscribe: { log.add("subscribe") }, onSubscribed: { log.add("subscribed") },
            onDispose: { log.add("do disposed") }
        ).subscribe(
            onNext: { _ in log.add("next") }, onCompleted: { log.add("completed") },
            onDisposed: { log.add("disposed") })
        #expect(
            log.all == [
                "subscribe", "source", "do next", "next", "after next", "do completed", "completed", "disposed",
                "after completed", "source disposed", "subscribed", "do disposed",
            ])
    }
}
