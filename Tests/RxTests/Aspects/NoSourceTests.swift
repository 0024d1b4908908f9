import Dispatch
import Rx
import RxTest
import Testing

/// The expected events of a stream without a source that is subscribed to at tick 200.
struct NoSource: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let received: [RecordedEvent<Int>]
    let make: @Sendable (TestScheduler) -> Observable<Int>

    init(_ name: String, _ received: [RecordedEvent<Int>], make: @escaping @Sendable (TestScheduler) -> Observable<Int>)
    {
        testDescription = name
        self.received = received
        self.make = make
    }

    static let three: [RecordedEvent<Int>] = [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)]
    static let atOnce: [RecordedEvent<Int>] = [.next(200, 1), .completed(200)]

    static let all: [NoSource] = [
        NoSource("just", atOnce) { _ in .just(1) },
        NoSource("just(scheduler:)", [.next(201, 1), .completed(202)]) { .just(1, scheduler: $0) },
        NoSource("of", three) { .of(1, 2, 3, scheduler: $0) },
        NoSource("from", three) { .from([1, 2, 3], scheduler: $0) },
        NoSource("from(optional:)", atOnce) { _ in .from(optional: 1) },
        NoSource("range", three) { .range(start: 1, count: 3, scheduler: $0) },
        NoSource("empty", [.completed(200)]) { _ in .empty() }, NoSource("never", []) { _ in .never() },
        NoSource("error", [.error(200, TestError.first)]) { _ in .error(TestError.first) },
        NoSource("deferred", three) { scheduler in .deferred { .of(1, 2, 3, scheduler: scheduler) } },
        NoSource("using", three) { scheduler in
            .using({ BooleanDisposable() }, observableFactory: { _ in .of(1, 2, 3, scheduler: scheduler) })
        },
        NoSource("create", atOnce) { _ in
            .create { observer in
                observer.onNext(1)
                observer.onCompleted()
                return Disposables.create {}
            }
        },
        NoSource("interval", (0..<15).map { .next(250 + $0 * 50, $0) }) { .interval(.seconds(50), scheduler: $0) },
        NoSource("timer", [.next(230, 0), .completed(230)]) { .timer(.seconds(30), scheduler: $0) },
        NoSource("timer(period:)", (0..<5).map { .next(230 + $0 * 200, $0) }.filter { $0.time < 1000 }) {
            .timer(.seconds(30), period: .seconds(200), scheduler: $0)
        },
    ]
}

/// Tests that apply to all streams without a source.
@Suite struct NoSourceTests {
    @Test(arguments: NoSource.all)
    func eachSubscriberReceivesTheSameEvents(_ kind: NoSource) {
        let scheduler = TestScheduler(initialClock: 0)
        let stream = kind.make(scheduler)
        #expect(scheduler.start(disposed: 999) { stream }.events == kind.received)
        let again = scheduler.start(created: 1100, subscribed: 1200, disposed: 1999) { stream }
        #expect(again.events == kind.received.map { Recorded(time: $0.time + 1000, value: $0.value) })
    }

    @Test(arguments: NoSource.all, [202, 231, 301])
    func disposalStopsTheStream(_ kind: NoSource, _ end: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let stream = kind.make(scheduler)
        #expect(scheduler.start(disposed: end) { stream }.events == kind.received.filter { $0.time < end })
    }

    @Test(arguments: NoSource.all, [false, true])
    func disposalInsideAnElementStopsTheStream(_ kind: NoSource, _ byAnotherThread: Bool) {
        guard let first = kind.received.first, !first.value.isStopEvent, first.time > 200 else { return }
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        let stream = kind.make(scheduler)
        let holder = Holder()
        let disposed = Log<Int>()
        scheduler.scheduleAt(200) {
            holder.hold(
                stream.subscribe(
                    onNext: { value in
                        observer.onNext(value)
                        guard byAnotherThread else { return holder.drop() }
                        let done = DispatchSemaphore(value: 0)
                        DispatchQueue.global().async {
                            holder.drop()
                            done.signal()
                        }
                        #expect(done.wait(timeout: .now() + 120) == .success)
                    }, onError: { observer.onError($0) }, onCompleted: { observer.onCompleted() },
                    onDisposed: { disposed.add(1) }))
        }
        scheduler.start()
        #expect(observer.events == [first])
        #expect(disposed.count == 1)
    }

    @Test(arguments: NoSource.all)
    func takeOneEndsTheStream(_ kind: NoSource) {
        guard let first = kind.received.first, !first.value.isStopEvent else { return }
        let scheduler = TestScheduler(initialClock: 0)
        let stream = kind.make(scheduler)
        #expect(scheduler.start { stream.take(1) }.events == [first, .completed(first.time)])
        #expect(scheduler.clock == 1000)
    }

    @Test func streamsWithoutASourceDoNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for kind in NoSource.all {
                for end in [201, 202, 231, 999] {
                    LeakTests.expectBalance("\(kind.testDescription) at \(end)") {
                        let scheduler = TestScheduler(initialClock: 0)
                        _ = scheduler.start(disposed: end) { kind.make(scheduler) }
                    }
                }
            }
        }
        LeakTests.expectNoComplaint(in: result)
    }

    /// On real queues, operators release their work after it has run or was cancelled.
    @Test func operatorsOnQueuesDoNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for (name, make) in SchedulerStressTests.operations {
                for ends in [false, true] {
                    func run() {
                        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "leaks")
                        let subject = PublishSubject<Int>()
                        let subscription = make(subject, scheduler).subscribe(onNext: { _ in }, onError: { _ in })
                        for number in 1...25 { subject.onNext(number) }
                        if ends { subject.onCompleted() }
                        SchedulerStressTests.quiesce(scheduler)
                        subscription.dispose()
                        SchedulerStressTests.quiesce(scheduler)
                    }
                    run()
                    let before = Resources.total
                    run()
                    // Waits, because libdispatch releases a cancelled timer later. Only a leak reaches the limit.
                    let limit = ContinuousClock.now + .seconds(20)
                    while Resources.total > before, ContinuousClock.now < limit {
                        let moment = DispatchSemaphore(value: 0)
                        _ = moment.wait(timeout: .now() + .milliseconds(1))
                    }
                    let left = Resources.total - before
                    if left > 0 { print("\(name), \(ends ? "ended" : "disposed of"), leaves \(left) behind.") }
                }
            }
        }
        LeakTests.expectNoComplaint(in: result)
    }
}
