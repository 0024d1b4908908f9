import Dispatch
import Rx
import RxTest
import Testing

@Suite struct RetryTests {
    let scheduler = TestScheduler(initialClock: 0)
    let script: [RecordedEvent<Int>] = [.next(10, 1), .error(20, TestError.first)]

    @Test func retrySubscribesAgainAfterAnError() {
        let source = scheduler.createColdObservable(script)
        let result = scheduler.start(disposed: 255) { source.retry() }
        #expect(result.events == [.next(210, 1), .next(230, 1), .next(250, 1)])
        #expect(
            source.subscriptions == [
                Subscription(200, 220), Subscription(220, 240), Subscription(240, 255),
            ])
    }

    @Test func retryCompletesWithTheStream() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)] as [RecordedEvent<Int>])
        let result = scheduler.start { source.retry() }
        #expect(result.events == [.next(210, 1), .completed(220)])
        #expect(source.subscriptions == [Subscription(200, 220)])
    }

    @Test func retryFailsAfterItsCount() {
        let source = scheduler.createColdObservable(script)
        let result = scheduler.start { source.retry(2) }
        #expect(result.events == [.next(210, 1), .next(230, 1), .error(240, TestError.first)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
    }

    @Test func retryOfZeroCompletesWithoutSubscribing() {
        let source = scheduler.createColdObservable(script)
        #expect(scheduler.start { source.retry(0) }.events == [.completed(200)])
        #expect(source.subscriptions.isEmpty)
    }

    @Test func manyErrorsAtSubscriptionDoNotRecurse() {
        let log = Log<Int>()
        _ = Observable<Int>.error(TestError.first).retry(20_000).subscribe(onError: { _ in log.add(1) })
        #expect(log.all == [1])
    }

    @Test func disposalInsideAnElementOfALaterAttemptStopsIt() {
        let source = scheduler.createColdObservable(script)
        let result = scheduler.start { source.retry().take(2) }
        #expect(result.events == [.next(210, 1), .next(230, 1), .completed(230)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 230)])
    }
}

@Suite struct RetryWhenTests {
    let scheduler = TestScheduler(initialClock: 0)
    let script: [RecordedEvent<Int>] = [.next(10, 1), .next(20, 2), .error(30, TestError.first)]

    /// Retries a failing stream with a signal that has these events. Returns all events and subscriptions.
    func run(_ signal: [RecordedEvent<Int>], disposed: Int = 1000) -> TwoSources.Outcome {
        let source = scheduler.createColdObservable(script)
        let trigger = scheduler.createColdObservable(signal)
        let result = scheduler.start(disposed: disposed) {
            source.retry(when: { (_: Observable<any Error>) in trigger })
        }
        return .init(result.events, source.subscriptions, trigger.subscriptions)
    }

    @Test func retryWhenWaitsForItsSignal() {
        let source = scheduler.createColdObservable(script)
        let scheduler = scheduler
        let result = scheduler.start(disposed: 300) {
            source.retry(when: { (errors: Observable<any Error>) in
                errors.delay(.seconds(30), scheduler: scheduler)
            })
        }
        // Delaying the stream of errors delays its elements, which are errors, so each retry starts 30 ticks later.
        #expect(result.events == [.next(210, 1), .next(220, 2), .next(270, 1), .next(280, 2)])
        #expect(source.subscriptions == [Subscription(200, 230), Subscription(260, 290)])
    }

    /// If the signal has no events, the stream is not retried, and the result does not end, as in RxSwift.
    @Test func withoutASignalTheStreamIsNotRetried() {
        #expect(run([]) == .init([.next(210, 1), .next(220, 2)], left: (200, 230), right: (200, 1000)))
    }

    @Test func aSignalThatCompletedBeforeTheErrorCompletesTheStream() {
        #expect(
            run([.completed(10)])
                == .init(
                    [.next(210, 1), .next(220, 2), .completed(230)], left: (200, 230), right: (200, 210)))
    }

    @Test func aSignalThatFailedBeforeTheErrorFailsTheStream() {
        #expect(
            run([.error(10, TestError.second)])
                == .init(
                    [.next(210, 1), .next(220, 2), .error(230, TestError.second)], left: (200, 230),
                    right: (200, 210)))
    }

    @Test func aSignalBeforeTheErrorIsIgnored() {
        #expect(
            run([.next(10, 0), .completed(60)])
                == .init(
                    [.next(210, 1), .next(220, 2), .completed(260)], left: (200, 230), right: (200, 260)))
    }

    @Test func aSignalAfterTheErrorRetries() {
        #expect(
            run([.next(40, 0), .completed(100)])
                == .init(
                    [.next(210, 1), .next(220, 2), .next(250, 1), .next(260, 2), .completed(300)],
                    [Subscription(200, 230), Subscription(240, 270)], [Subscription(200, 300)]))
    }

    @Test func disposalDisposesOfStreamAndSignal() {
        #expect(
            run([.next(40, 0)], disposed: 255)
                == .init(
                    [.next(210, 1), .next(220, 2), .next(250, 1)],
                    [Subscription(200, 230), Subscription(240, 255)],
                    [Subscription(200, 255)]))
    }

    @Test func theHandlerDecidesByTheError() {
        let source = scheduler.createColdObservable(script)
        let result = scheduler.start {
            source.retry(when: { (errors: Observable<any Error>) in
                errors.scan(0) { count, _ in count + 1 }.flatMap { count -> Observable<Int> in
                    count < 2 ? .just(count) : .error(TestError.second)
                }
            })
        }
        #expect(
            result.events == [
                .next(210, 1), .next(220, 2), .next(240, 1), .next(250, 2), .error(260, TestError.second),
            ])
        #expect(source.subscriptions == [Subscription(200, 230), Subscription(230, 260)])
    }

    @Test func errorsOfAnotherTypeAreForwarded() {
        struct Other: Error {}
        let source = scheduler.createColdObservable(script)
        let mine = scheduler.start(disposed: 255) {
            source.retry(when: { (errors: Observable<TestError>) in errors })
        }
        #expect(mine.events == [.next(210, 1), .next(220, 2), .next(240, 1), .next(250, 2)])
        let theirs = scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) {
            source.retry(when: { (errors: Observable<Other>) in errors.catch { _ in .never() } })
        }
        #expect(theirs.events == [.next(1210, 1), .next(1220, 2), .error(1230, TestError.first)])
    }

    @Test func manyErrorsAtSubscriptionDoNotRecurse() {
        let log = Log<String>()
        _ = Observable<Int>.error(TestError.first).retry(when: { (errors: Observable<any Error>) in
            errors.take(20_000)
        }).subscribe(onCompleted: { log.add(".") })
        #expect(log.all == ["."])
    }
}
