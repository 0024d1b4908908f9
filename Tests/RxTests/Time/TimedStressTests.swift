import Dispatch
import Rx
import Synchronization
import Testing

/// Operators with a timer or two sources, on real threads. Run these tests with `--sanitize=thread`.
///
/// The times are short and do not affect the results: each test waits for the end of its stream.
@Suite struct TimedStressTests {
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "timed stress")
    static let sent = StressTests.feeders * StressTests.each

    /// Sends elements to a subject from several threads, completes it, and waits until the derived stream has ended.
    func run<Output>(_ make: (PublishSubject<Int>) -> Observable<Output>, onNext: @escaping @Sendable (Output) -> Void)
    {
        let subject = PublishSubject<Int>()
        let ended = DispatchSemaphore(value: 0)
        let subscription = make(subject).subscribe(onNext: onNext, onDisposed: { ended.signal() })
        StressTests().feed { subject.onNext($1) }
        subject.onCompleted()
        ended.wait()
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func buffersLoseNoElement() {
        let (total, meter) = (Log<Int>(), StressTests.Meter())
        run({ $0.buffer(timeSpan: .microseconds(100), count: 7, scheduler: scheduler) }) {
            total.add($0.count)
            meter.hit()
        }
        #expect(total.all.reduce(0, +) == Self.sent)
        #expect(total.all.allSatisfy { $0 <= 7 })
        #expect(meter.clashed == 0)
    }

    @Test func windowsLoseNoElement() {
        let meter = StressTests.Meter()
        run({ $0.window(timeSpan: .microseconds(100), count: 7, scheduler: scheduler).concatMap { $0 } }) { _ in
            meter.hit()
        }
        #expect(meter.clashed == 0)
        let counted = StressTests.Meter()
        run({ $0.window(timeSpan: .microseconds(100), count: 7, scheduler: scheduler).flatMap { $0 } }) { _ in
            counted.hit()
        }
        #expect(counted.count == Self.sent)
        #expect(counted.clashed == 0)
    }

    @Test func groupsLoseNoElement() {
        let meter = StressTests.Meter()
        run({ $0.groupBy { $0 % 10 }.flatMap { $0 } }) { _ in meter.hit() }
        #expect(meter.count == Self.sent)
        #expect(meter.clashed == 0)
    }

    @Test func delayLosesNoElement() {
        let meter = StressTests.Meter()
        run({ $0.delay(.microseconds(100), scheduler: scheduler) }) { _ in meter.hit() }
        #expect(meter.count == Self.sent)
        #expect(meter.clashed == 0)
    }

    @Test func debounceAndThrottleSendOneElementAtATime() {
        for make in [
            { $0.debounce(.microseconds(10), scheduler: scheduler) },
            { $0.throttle(.microseconds(10), scheduler: scheduler) },
            { $0.throttle(.microseconds(10), latest: false, scheduler: scheduler) },
            { $0.delaySubscription(.microseconds(10), scheduler: scheduler) },
            { $0.skip(for: .microseconds(50), scheduler: scheduler) },
            { $0.take(for: .microseconds(50), scheduler: scheduler) },
            { $0.timeout(.microseconds(500), other: Observable.just(1), scheduler: scheduler) },
        ] as [(PublishSubject<Int>) -> Observable<Int>] {
            let meter = StressTests.Meter()
            run(make) { _ in meter.hit() }
            #expect(meter.clashed == 0)
        }
    }

    @Test func sampleWorksWithTwoThreads() {
        let sampler = PublishSubject<Int>()
        let elements = PublishSubject<Int>()
        let meter = StressTests.Meter()
        let ended = DispatchSemaphore(value: 0)
        _ = elements.sample(sampler).subscribe(onNext: { _ in meter.hit() }, onCompleted: { ended.signal() })
        StressTests().feed { ($0 % 2 == 0 ? elements : sampler).onNext($1) }
        elements.onCompleted()
        sampler.onNext(0)
        ended.wait()
        #expect(meter.clashed == 0)
        #expect(meter.count <= Self.sent / 2)
    }

    @Test func retryWhenWorksWithTwoThreads() {
        let failures = Atomic<Int>(0)
        let ended = DispatchSemaphore(value: 0)
        let stream = Observable<Int>.deferred {
            failures.add(1, ordering: .relaxed).newValue < 100 ? .error(TestError.first) : .just(1)
        }
        _ = stream.retry(when: { (errors: Observable<any Error>) in errors.observe(on: scheduler) })
            .subscribe(onCompleted: { ended.signal() })
        ended.wait()
        #expect(failures.load(ordering: .relaxed) == 100)
    }

    @Test func windowsAndGroupsCanBeDisposedOfFromAnotherThread() {
        for round in 0..<50 {
            let subject = PublishSubject<Int>()
            let stream: Observable<Int> =
                round.isMultiple(of: 2)
                ? subject.window(timeSpan: .microseconds(50), count: 3, scheduler: scheduler).flatMap { $0 }
                : subject.groupBy { $0 % 3 }.flatMap { $0 }
            let subscription = stream.subscribe(onNext: { _ in })
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 { for number in 0..<50 { subject.onNext(number) } } else { subscription.dispose() }
            }
            // Waits until the queue is idle, because a timer that is firing retains the source until it has finished.
            let idle = DispatchSemaphore(value: 0)
            _ = scheduler.schedule(()) { _ in
                idle.signal()
                return Disposables.create()
            }
            idle.wait()
            #expect(!subject.hasObservers)
        }
    }
}
