import Dispatch
import Rx
import RxTest
import Testing

/// Tests that apply to all operators with two sources.
@Suite struct TwoSourcesTests {
    func run(
        _ operation: TwoSources, _ left: [RecordedEvent<Int>], _ right: [RecordedEvent<Int>], end: Int = 1000,
        insideFirst: (@Sendable (Holder) -> Void)? = nil
    ) -> TwoSources.Outcome {
        let scheduler = TestScheduler(initialClock: 0)
        let (one, two) = (scheduler.createHotObservable(left), scheduler.createHotObservable(right))
        let observer = scheduler.createObserver(Int.self)
        let holder = Holder()
        let stream = operation.make(one.asObservable(), two.asObservable(), scheduler)
        scheduler.scheduleAt(200) {
            holder.hold(
                stream.subscribe(
                    onNext: { value in
                        observer.onNext(value)
                        insideFirst?(holder)
                    }, onError: { observer.onError($0) }, onCompleted: { observer.onCompleted() }))
        }
        scheduler.scheduleAt(end) { holder.drop() }
        scheduler.start()
        return TwoSources.Outcome(observer.events, one.subscriptions, two.subscriptions)
    }

    @Test(arguments: TwoSources.all)
    func bothSourcesComplete(_ operation: TwoSources) {
        #expect(run(operation, Sides.left, Sides.right) == operation.bothComplete)
    }

    @Test(arguments: TwoSources.all)
    func theLeftSourceFails(_ operation: TwoSources) {
        #expect(run(operation, Sides.leftFailing, Sides.right) == operation.leftFails)
    }

    @Test(arguments: TwoSources.all)
    func theRightSourceFails(_ operation: TwoSources) {
        #expect(run(operation, Sides.left, Sides.rightFailing) == operation.rightFails)
    }

    @Test(arguments: TwoSources.all, [205, 216, 227, 235, 255, 265])
    func disposalDisposesOfBothSources(_ operation: TwoSources, _ end: Int) {
        #expect(run(operation, Sides.left, Sides.right, end: end) == operation.bothComplete.until(end))
    }

    @Test(arguments: TwoSources.all)
    func disposalInsideAnElementDisposesOfBothSources(_ operation: TwoSources) {
        expectSilence(after: operation) { $0.drop() }
    }

    /// If an operator held a lock while user code runs, the disposal would wait, and the test would fail.
    @Test(arguments: TwoSources.all)
    func disposalByAnotherThreadInsideAnElementDoesNotBlock(_ operation: TwoSources) {
        expectSilence(after: operation) { holder in
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                holder.drop()
                done.signal()
            }
            #expect(done.wait(timeout: .now() + 120) == .success)
        }
    }

    func expectSilence(after operation: TwoSources, _ dispose: @escaping @Sendable (Holder) -> Void) {
        let result = run(operation, Sides.left, Sides.right, insideFirst: dispose)
        guard let first = operation.bothComplete.received.first else { return }
        var expected = operation.bothComplete.until(first.time)
        expected.received = [first]
        // If an operator would subscribe to the right source because of this element, the disposal prevents that.
        #expect(result == expected)
    }

    /// If `take` ends the right side early, its source is disposed of at once, not when the result ends.
    @Test(arguments: TwoSources.all)
    func aSourceThatEndsEarlyIsReleasedAtOnce(_ operation: TwoSources) {
        let short = TwoSources(
            name: operation.name, bothComplete: operation.bothComplete, leftFails: operation.leftFails,
            rightFails: operation.rightFails, make: { operation.make($0, $1.take(1), $2) })
        let result = run(short, Sides.left, Sides.right)
        let expected = operation.bothComplete.right.map { life in
            let element = Sides.right.first { $0.time >= life.subscribe && !$0.value.isStopEvent }
            return Subscription(life.subscribe, min(life.unsubscribe, element?.time ?? .max))
        }
        #expect(result.right == expected)
    }

    /// The right source sends its first element while the first element of the left source is handled.
    @Test(arguments: TwoSources.all)
    func oneSourceMaySendInsideAnElementOfTheOther(_ operation: TwoSources) {
        let scheduler = TestScheduler(initialClock: 0)
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let observer = scheduler.createObserver(Int.self)
        let stream = operation.make(
            left.do(onNext: { if $0 == 1 { right.onNext(10) } }), right.asObservable(), scheduler)
        let subscription = stream.subscribe(observer)
        left.onNext(1)
        left.onNext(2)
        right.onNext(20)
        left.onCompleted()
        right.onCompleted()
        subscription.dispose()
        #expect(!left.hasObservers && !right.hasObservers)
        let stops = observer.events.filter(\.value.isStopEvent)
        #expect(stops.count <= 1)
        #expect(observer.events.last?.value.isStopEvent ?? true || stops.isEmpty)
    }
}
