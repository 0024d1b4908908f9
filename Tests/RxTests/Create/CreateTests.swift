import Dispatch
import Rx
import RxTest
import Testing

@Suite struct CreateTests {
    @Test func createIsDisposedOfAtTheEndAndIgnoresLaterEvents() {
        let log = Log<String>()
        _ = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            observer.onError(TestError.first)
            return Disposables.create { log.add("gone") }
        }.subscribe(
            onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add(".") },
            onDisposed: { log.add("disposed") })
        #expect(log.all == ["1", ".", "disposed", "gone"])
    }

    @Test func createForwardsOnlyTheFirstError() {
        let log = Log<String>()
        _ = Observable<Int>.create { observer in
            observer.onError(TestError.first)
            observer.onCompleted()
            observer.onNext(2)
            return Disposables.create { log.add("gone") }
        }.subscribe(
            onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add(".") })
        #expect(log.all == ["first", "gone"])
    }

    @Test func disposalDisposesOfTheCreateClosuresResult() {
        let log = Log<String>()
        let subscription = Observable<Int>.create { _ in Disposables.create { log.add("cancelled") } }
            .subscribe(onDisposed: { log.add("disposed") })
        subscription.dispose()
        subscription.dispose()
        #expect(log.all == ["cancelled", "disposed"])
    }

    @Test func eachSubscriptionRunsTheClosure() {
        let scheduler = TestScheduler(initialClock: 0)
        let runs = Log<Int>()
        let stream = Observable<Int>.create { observer in
            runs.add(scheduler.clock)
            observer.onNext(runs.count)
            return Disposables.create()
        }
        #expect(scheduler.start { stream }.events == [.next(200, 1)])
        #expect(
            scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) { stream }.events == [
                .next(1200, 2)
            ])
        #expect(runs.all == [200, 1200])
    }

    @Test func theObserverMayBeStoredAndCalledLater() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start(disposed: 230) {
            Observable<Int>.create { observer in
                scheduler.scheduleAt(210) { observer.onNext(1) }
                scheduler.scheduleAt(220) { observer.onNext(2) }
                scheduler.scheduleAt(240) { observer.onNext(3) }
                return Disposables.create()
            }
        }
        #expect(result.events == [.next(210, 1), .next(220, 2)])
    }

    @Test func createMayContinueAfterDisposalInsideIt() {
        let log = Log<String>()
        _ = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onNext(2)
            log.add("closure done")
            return Disposables.create { log.add("gone") }
        }.take(1).subscribe(onNext: { log.add("\($0)") }, onCompleted: { log.add(".") })
        #expect(log.all == ["1", ".", "closure done", "gone"])
    }

    @Test func aStreamOfACustomTypeHasTheOperators() {
        struct Clock: ObservableType {
            typealias Element = Int
            func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
            where Observer.Element == Int {
                observer.onNext(12)
                observer.onCompleted()
                return Disposables.create()
            }
        }
        let log = Log<Int>()
        _ = Clock().map { $0 + 1 }.subscribe(onNext: { log.add($0) })
        #expect(log.all == [13])
    }
}

@Suite struct DeferredTests {
    @Test func theFactoryIsCalledAtEachSubscription() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)] as [RecordedEvent<Int>])
        let made = Log<Int>()
        let stream = Observable<Int>.deferred {
            made.add(scheduler.clock)
            return source.asObservable()
        }
        #expect(made.all.isEmpty)
        #expect(scheduler.start { stream }.events == [.next(210, 1), .completed(220)])
        _ = scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) { stream }
        #expect(made.all == [200, 1200])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(1200, 1220)])
    }

    @Test func aThrowingFactoryFailsTheStream() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start { Observable<Int>.deferred { throw TestError.second } }
        #expect(result.events == [.error(200, TestError.second)])
    }
}
