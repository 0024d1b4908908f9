import Dispatch
import Rx
import RxTest
import Testing

/// What every operator with one source owes, asked of all of them.
@Suite struct OneSourceTests {
    /// One run over a script with a subscriber that disposes of itself inside its first element, if it is to.
    struct Run {
        let heard: [RecordedEvent<Int>]
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
        return Run(heard: observer.events, lives: source.subscriptions, timesDisposed: disposed.count)
    }

    @Test(arguments: OneSource.all)
    func elementsAndTheGoodEndPass(_ operation: OneSource) {
        let result = run(operation, usual)
        #expect(result.heard == operation.well)
        #expect(result.lives == [operation.wellLife])
        #expect(result.timesDisposed == 1)
    }

    @Test(arguments: OneSource.all)
    func theErrorPasses(_ operation: OneSource) {
        let result = run(operation, failing)
        #expect(result.heard == operation.ill)
        #expect(result.lives == [operation.illLife])
        #expect(result.timesDisposed == 1)
    }

    @Test(arguments: OneSource.all)
    func aSecondSubscriptionStartsAnew(_ operation: OneSource) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable(
            usual.dropFirst().map { Recorded(time: $0.time - 200, value: $0.value) })
        let stream = operation.make(source.asObservable(), scheduler)
        let first = scheduler.start { stream }
        // A cold source begins later where the operator subscribes later.
        if operation.wellLife.subscribe == 200 { #expect(first.events == operation.well) }
        let second = scheduler.start(created: 2000, subscribed: 2200, disposed: 3000) { stream }
        // A stream shared for ever stays ended.
        if operation.name.contains("forever") || operation.name == "multicast, refCount" {
            #expect(source.subscriptions.count == 1)
        } else {
            #expect(second.events == first.events.map { Recorded(time: $0.time + 2000, value: $0.value) })
            #expect(source.subscriptions.count == 2)
        }
    }

    @Test(arguments: OneSource.all, [206, 216, 229, 246])
    func disposeInMidFlowEndsAll(_ operation: OneSource, _ end: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start(disposed: end) { operation.make(source.asObservable(), scheduler) }
        #expect(result.events == operation.well(until: end))
        let began = operation.wellLife.subscribe
        let left = min(operation.wellLife.unsubscribe, end + operation.lateness)
        #expect(source.subscriptions == (began < end ? [Subscription(began, left)] : []))
    }

    @Test(arguments: OneSource.all)
    func disposeInsideItsOwnElementSilences(_ operation: OneSource) {
        expectSilence(after: operation) { $0.drop() }
    }

    /// Would hang, and fail, if an operator held a lock while it calls out.
    @Test(arguments: OneSource.all)
    func disposeByAnotherThreadInsideAnElementDoesNotBlock(_ operation: OneSource) {
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
        // What comes before `subscribe` returned cannot be stopped by its result.
        guard let first = operation.well.first, !first.value.isStopEvent, first.time > 200 else {
            return
        }
        #expect(result.heard == [first])
        let left = min(operation.wellLife.unsubscribe, first.time + operation.lateness)
        #expect(result.lives == [Subscription(operation.wellLife.subscribe, left)])
        #expect(result.timesDisposed == 1)
    }

    /// A source that breaks the grammar is kept in order by `create`, and what it says after the end goes nowhere.
    @Test(arguments: OneSource.all)
    func nothingFollowsTheEnd(_ operation: OneSource) {
        let chatter = usual + [.next(310, 7), .error(320, TestError.second), .completed(330)]
        let result = run(operation, chatter)
        #expect(result.heard == operation.well)
        #expect(result.lives == [operation.wellLife])
    }
}
