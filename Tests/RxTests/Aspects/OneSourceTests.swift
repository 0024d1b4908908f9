import Dispatch
import Rx
import RxTest
import Testing

/// Tests that apply to all operators with one source.
@Suite struct OneSourceTests {
    /// The received events, the source's subscriptions and the number of disposals of one run.
    struct Run {
        let received: [RecordedEvent<Int>]
        let lives: [Subscription]
        let timesDisposed: Int
    }

    func run(
        _ operation: OneSource, _ script: [RecordedEvent<Int>], insideFirst: (@Sendable (Holder) -> Void)? = nil
    ) -> Run {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(script)
        let observer = scheduler.createObserver(Int.self)
        let disposed = Log<Int>()
        let holder = Holder()
        let stream = operation.make(source.asObservable(), scheduler)
        scheduler.scheduleAt(200) {
            holder.hold(
                stream.subscribe(
                    onNext: { value in
                        observer.onNext(value)
                        insideFirst?(holder)
                    }, onError: { observer.onError($0) }, onCompleted: { observer.onCompleted() },
                    onDisposed: { disposed.add(1) }))
        }
        scheduler.start()
        return Run(received: observer.events, lives: source.subscriptions, timesDisposed: disposed.count)
    }

    @Test(arguments: OneSource.all)
    func elementsAndCompletionAreForwarded(_ operation: OneSource) {
        let result = run(operation, usual)
        #expect(result.received == operation.onUsual)
        #expect(result.lives == [operation.usualLifetime])
        #expect(result.timesDisposed == 1)
    }

    @Test(arguments: OneSource.all)
    func theErrorIsForwarded(_ operation: OneSource) {
        let result = run(operation, failing)
        #expect(result.received == operation.onFailing)
        #expect(result.lives == [operation.failingLifetime])
        #expect(result.timesDisposed == 1)
    }

    @Test(arguments: OneSource.all)
    func aSecondSubscriptionStartsAgain(_ operation: OneSource) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable(
            usual.dropFirst().map { Recorded(time: $0.time - 200, value: $0.value) })
        let stream = operation.make(source.asObservable(), scheduler)
        let first = scheduler.start { stream }
        // A cold source starts later if the operator subscribes later, so its events differ from those of a hot source.
        if operation.usualLifetime.subscribe == 200 { #expect(first.events == operation.onUsual) }
        let second = scheduler.start(created: 2000, subscribed: 2200, disposed: 3000) { stream }
        // A stream that is shared forever does not start again after its end.
        if operation.name.contains("forever") || operation.name == "multicast, refCount" {
            #expect(source.subscriptions.count == 1)
        } else {
            #expect(second.events == first.events.map { Recorded(time: $0.time + 2000, value: $0.value) })
            #expect(source.subscriptions.count == 2)
        }
    }

    @Test(arguments: OneSource.all, [206, 216, 229, 246])
    func disposalDisposesOfTheSource(_ operation: OneSource, _ end: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start(disposed: end) { operation.make(source.asObservable(), scheduler) }
        #expect(result.events == operation.onUsual(until: end))
        let began = operation.usualLifetime.subscribe
        let left = min(operation.usualLifetime.unsubscribe, end + operation.disposalDelay)
        #expect(source.subscriptions == (began < end ? [Subscription(began, left)] : []))
    }

    @Test(arguments: OneSource.all)
    func disposalInsideAnElementStopsTheStream(_ operation: OneSource) {
        expectSilence(after: operation) { $0.drop() }
    }

    /// If an operator held a lock while user code runs, the disposal would wait, and the test would fail.
    @Test(arguments: OneSource.all)
    func disposalByAnotherThreadInsideAnElementDoesNotBlock(_ operation: OneSource) {
        expectSilence(after: operation) { holder in
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                holder.drop()
                done.signal()
            }
            #expect(done.wait(timeout: .now() + 120) == .success)
        }
    }

    func expectSilence(after operation: OneSource, _ dispose: @escaping @Sendable (Holder) -> Void) {
        let result = run(operation, usual, insideFirst: dispose)
        // Skips events before `subscribe` returns: the subscriber has no disposable yet, so it cannot stop them.
        guard let first = operation.onUsual.first, !first.value.isStopEvent, first.time > 200 else {
            return
        }
        #expect(result.received == [first])
        let left = min(operation.usualLifetime.unsubscribe, first.time + operation.disposalDelay)
        #expect(result.lives == [Subscription(operation.usualLifetime.subscribe, left)])
        #expect(result.timesDisposed == 1)
    }

    /// The subscriber receives no events that a source sends after its end, against the rules.
    @Test(arguments: OneSource.all)
    func noEventFollowsTheEnd(_ operation: OneSource) {
        let chatter = usual + [.next(310, 7), .error(320, TestError.second), .completed(330)]
        let result = run(operation, chatter)
        #expect(result.received == operation.onUsual)
        #expect(result.lives == [operation.usualLifetime])
    }
}
