import Rx
import RxTest
import Testing

@Suite struct CatchTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func catchContinuesWithTheHandlersStream() {
        let other = scheduler.createColdObservable([.next(10, 9), .completed(20)] as [RecordedEvent<Int>])
        let source = scheduler.createHotObservable(failing)
        let seen = Log<String>()
        let result = scheduler.start {
            source.catch { error in
                seen.add("\(error)")
                return other.asObservable()
            }
        }
        #expect(result.events == [.next(210, 1), .next(220, 2), .next(235, 9), .completed(245)])
        #expect(source.subscriptions == [Subscription(200, 225)])
        #expect(other.subscriptions == [Subscription(225, 245)])
        #expect(seen.all == ["first"])
    }

    @Test func theNextStreamIsSubscribedToBeforeTheFailedOneIsDisposedOf() {
        let log = Log<String>()
        let failed = PublishSubject<Int>()
        let stream = Observable<Int>.create { observer in
            let inner = failed.subscribe(observer)
            return Disposables.create {
                inner.dispose()
                log.add("failed one disposed")
            }
        }
        let next = Observable<Int>.create { _ in
            log.add("next subscribed")
            return Disposables.create { log.add("next disposed") }
        }
        let subscription = stream.map { $0 }.do(onError: { _ in log.add("failed") }).catch { _ in next }
            .subscribe(onError: { _ in log.add("error") })
        failed.onError(TestError.first)
        subscription.dispose()
        #expect(log.all == ["failed", "next subscribed", "failed one disposed", "next disposed"])
    }

    @Test func theErrorOfTheNextStreamIsNotCaught() {
        let source = scheduler.createHotObservable(failing)
        let result = scheduler.start { source.catch { _ in .error(TestError.second) } }
        #expect(result.events == [.next(210, 1), .next(220, 2), .error(225, TestError.second)])
    }

    @Test func disposalDisposesOfTheHandlersStream() {
        let other = scheduler.createColdObservable([.next(10, 9), .completed(20)] as [RecordedEvent<Int>])
        let source = scheduler.createHotObservable(failing)
        let result = scheduler.start(disposed: 240) { source.catch { _ in other.asObservable() } }
        #expect(result.events == [.next(210, 1), .next(220, 2), .next(235, 9)])
        #expect(other.subscriptions == [Subscription(225, 240)])
    }

    @Test func aThrowingHandlerFailsTheStream() {
        check(
            failing, gives: [.next(210, 1), .next(220, 2), .error(225, TestError.second)],
            lives: (200, 225)
        ) {
            stream, _ in stream.catch { _ in throw TestError.second }
        }
    }

    @Test func catchAndReturnSendsTheElementAndCompletes() {
        check(
            failing, gives: [.next(210, 1), .next(220, 2), .next(225, 7), .completed(225)],
            lives: (200, 225)
        ) {
            stream, _ in stream.catchAndReturn(7)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in
            stream.catchAndReturn(7)
        }
    }

    @Test func streamsOfASequenceAreTriedInOrder() {
        let streams = [5, 10, 15].map { time in
            scheduler.createColdObservable(
                [.next(1, time), .error(time, TestError.first)] as [RecordedEvent<Int>])
        }
        let good = scheduler.createColdObservable([.next(1, 99), .completed(5)] as [RecordedEvent<Int>])
        let unused = scheduler.createColdObservable([] as [RecordedEvent<Int>])
        let result = scheduler.start {
            Observable.catch(sequence: (streams + [good, unused]).map { $0.asObservable() })
        }
        #expect(
            result.events == [
                .next(201, 5), .next(206, 10), .next(216, 15), .next(231, 99), .completed(235),
            ])
        #expect(
            streams.map(\.subscriptions) == [
                [Subscription(200, 205)], [Subscription(205, 215)], [Subscription(215, 230)],
            ])
        #expect(unused.subscriptions.isEmpty)
    }

    @Test func aSequenceFailsWithItsLastErrorAndAnEmptyOneCompletes() {
        let result = scheduler.start {
            Observable<Int>.catch(sequence: [.error(TestError.first), .error(TestError.second)])
        }
        #expect(result.events == [.error(200, TestError.second)])
        let none = scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) {
            Observable<Int>.catch(sequence: [])
        }
        #expect(none.events == [.completed(1200)])
    }
}
