import Dispatch
import Rx
import Synchronization
import Testing

/// Operators with a timer on real queues.
///
/// The times are so short or so long that they do not affect the results.
@Suite struct SchedulerStressTests {
    typealias Make = @Sendable (Observable<Int>, any SchedulerType) -> Observable<Int>

    static let moment = RxTimeInterval.microseconds(50)

    static let operations: [(String, Make)] = [
        ("debounce", { $0.debounce(moment, scheduler: $1) }), ("throttle", { $0.throttle(moment, scheduler: $1) }),
        ("throttle(latest: false)", { $0.throttle(moment, latest: false, scheduler: $1) }),
        ("delay", { $0.delay(moment, scheduler: $1) }),
        ("delaySubscription", { $0.delaySubscription(moment, scheduler: $1) }),
        ("timeout", { $0.timeout(moment, scheduler: $1) }),
        ("timeout of long", { $0.timeout(.seconds(600), scheduler: $1) }),
        ("timeout(other:)", { $0.timeout(moment, other: Observable.just(0), scheduler: $1) }),
        ("observe(on:)", { $0.observe(on: $1) }), ("subscribe(on:)", { $0.subscribe(on: $1) }),
        ("both", { $0.subscribe(on: $1).observe(on: $1) }),
        ("take(for:)", { $0.take(for: moment, scheduler: $1) }),
        ("interval", { Observable.merge($0, .interval(moment, scheduler: $1)) }),
        ("timer", { Observable.merge($0, .timer(moment, scheduler: $1)) }),
        ("range", { Observable.merge($0, .range(start: 0, count: 50, scheduler: $1)) }),
        (
            "retry(when:)",
            { stream, scheduler in
                stream.map { if $0 % 10 == 0 { throw TestError.first } else { $0 } }.retry(when: {
                    (errors: Observable<any Error>) in errors.delay(moment, scheduler: scheduler)
                })
            }
        ),
    ]

    /// Waits until a queue has run all work that was scheduled before.
    static func quiesce(_ scheduler: any SchedulerType) {
        for _ in 0..<2 {
            let through = DispatchSemaphore(value: 0)
            _ = scheduler.schedule(()) { _ in
                through.signal()
                return Disposables.create()
            }
            through.wait()
        }
    }

    func run(_ index: Int, _ scheduler: any SchedulerType, ends: Bool) {
        let (name, make) = Self.operations[index]
        for round in 0..<4 {
            let subject = PublishSubject<Int>()
            let checker = EventChecker()
            let subscription = checker.listen(to: make(subject.asObservable(), scheduler))
            let disposed = Flag()
            DispatchQueue.concurrentPerform(iterations: 3) { feeder in
                for number in 1...StressTests.each {
                    if feeder == 0, number == 10 + 120 * round {
                        if ends {
                            if round % 2 == 0 { subject.onCompleted() } else { subject.onError(TestError.first) }
                        } else {
                            subscription.dispose()
                            disposed.raise()
                        }
                    }
                    subject.onNext(disposed.isRaised ? -number : number)
                }
            }
            subscription.dispose()
            Self.quiesce(scheduler)
            checker.expectWellFormed(name)
            #expect(checker.timesDisposed == 1, "\(name)")
            #expect(!subject.hasObservers, "\(name)")
        }
    }

    @Test(arguments: operations.indices, [false, true])
    func onASerialQueue(_ index: Int, _ ends: Bool) {
        run(index, SerialDispatchQueueScheduler(internalSerialQueueName: "stress \(index)"), ends: ends)
    }

    /// Only the events are checked, because a test cannot wait until a concurrent queue has run all work.
    @Test(arguments: operations.indices)
    func onAConcurrentQueue(_ index: Int) {
        let (name, make) = Self.operations[index]
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        for round in 0..<4 {
            let subject = PublishSubject<Int>()
            let checker = EventChecker()
            let subscription = checker.listen(to: make(subject.asObservable(), scheduler))
            DispatchQueue.concurrentPerform(iterations: 3) { feeder in
                for number in 1...StressTests.each {
                    if feeder == 0, number == 10 + 120 * round { subscription.dispose() }
                    subject.onNext(number)
                }
            }
            checker.expectWellFormed(name)
            #expect(checker.timesDisposed == 1, "\(name)")
        }
    }

    /// Each element, from any thread, moves a deadline on the real clock, so the deadline is never reached.
    @Test func aLongTimeoutForwardsAllElements() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "timeout")
        let subject = PublishSubject<Int>()
        let checker = EventChecker()
        let subscription = checker.listen(to: subject.timeout(.seconds(600), scheduler: scheduler))
        StressTests().feed { subject.onNext($1) }
        subscription.dispose()
        #expect(checker.count == StressTests.feeders * StressTests.each)
        checker.expectWellFormed("timeout")
    }

    /// A timer that fires too early starts again for the rest of the time. The time-out is reported once.
    @Test func aTimeoutThatIsSetAgainFiresOnce() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "timeout")
        for _ in 0..<10 {
            let subject = PublishSubject<Int>()
            let checker = EventChecker()
            let ended = DispatchSemaphore(value: 0)
            let subscription = checker.listen(
                to: subject.timeout(.microseconds(300), scheduler: scheduler).do(onDispose: { ended.signal() }))
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                for number in 0..<200 { subject.onNext(number) }
            }
            ended.wait()
            checker.expectWellFormed("timeout")
            #expect(checker.hasEnded)
            #expect(!subject.hasObservers)
            subscription.dispose()
        }
    }
}
