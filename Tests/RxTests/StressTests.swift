import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// Several threads at once; run them with `--sanitize=thread`. They wait for each other, never for a time.
@Suite struct StressTests {
    static let feeders = 4
    static let each = 500

    /// Feeds from several threads and waits until all are done.
    func feed(_ send: @escaping @Sendable (_ feeder: Int, _ number: Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: Self.feeders) { feeder in
            for number in 0..<Self.each { send(feeder, number) }
        }
    }

    /// Counts what arrives; traps two deliveries at once.
    final class Meter: Sendable {
        private let inside = Atomic<Int>(0)
        private let total = Atomic<Int>(0)
        private let clashes = Atomic<Int>(0)
        var count: Int { total.load(ordering: .sequentiallyConsistent) }
        var clashed: Int { clashes.load(ordering: .sequentiallyConsistent) }

        func hit() {
            if inside.add(1, ordering: .relaxed).oldValue != 0 { clashes.add(1, ordering: .relaxed) }
            total.add(1, ordering: .relaxed)
            inside.subtract(1, ordering: .relaxed)
        }
    }

    @Test func aSubjectDeliversOneAtATimeAndKeepsTheOrderOfAThread() {
        let subject = PublishSubject<(Int, Int)>()
        let meter = Meter()
        let lasts = Mutex([Int](repeating: -1, count: Self.feeders))
        let disorder = Atomic<Int>(0)
        let subscription = subject.scan(0) { count, _ in count + 1 }.subscribe(onNext: { _ in meter.hit() })
        let other = subject.subscribe(onNext: { feeder, number in
            lasts.withLock { last in
                if last[feeder] != number - 1 { disorder.add(1, ordering: .relaxed) }
                last[feeder] = number
            }
        })
        feed { subject.onNext(($0, $1)) }
        #expect(meter.count == Self.feeders * Self.each)
        #expect(meter.clashed == 0)
        #expect(disorder.load(ordering: .relaxed) == 0)
        subscription.dispose()
        other.dispose()
    }

    @Test func subscribersComeAndGoWhileASubjectIsFed() {
        let subject = ReplaySubject<Int>.create(bufferSize: 3)
        let meter = Meter()
        feed { feeder, number in
            if feeder == 0 {
                subject.onNext(number)
            } else {
                let subscription = subject.subscribe(onNext: { _ in meter.hit() })
                subscription.dispose()
            }
        }
        #expect(!subject.hasObservers)
    }

    @Test func lateSubscribersGetAGaplessRow() {
        let subject = BehaviorSubject(value: -1)
        let gaps = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 3) { feeder in
            if feeder == 0 {
                for number in 0..<2_000 { subject.onNext(number) }
            } else {
                for _ in 0..<200 {
                    let last = Atomic<Int>(.min)
                    let box = Box(last)
                    _ = subject.take(5).subscribe(onNext: { value in
                        let before = box.value.exchange(value, ordering: .relaxed)
                        if before != .min, value != before + 1 { gaps.add(1, ordering: .relaxed) }
                    })
                }
            }
        }
        subject.onCompleted()
        #expect(gaps.load(ordering: .relaxed) == 0)
    }

    final class Box: Sendable {
        let value: Atomic<Int>
        init(_ value: consuming Atomic<Int>) { self.value = value }
    }

    @Test func mergeDeliversOneAtATime() {
        let subjects = (0..<Self.feeders).map { _ in PublishSubject<Int>() }
        let meter = Meter()
        let ended = DispatchSemaphore(value: 0)
        _ = Observable.merge(subjects.map { $0.asObservable() })
            .subscribe(onNext: { _ in meter.hit() }, onCompleted: { ended.signal() })
        feed { subjects[$0].onNext($1) }
        for subject in subjects { subject.onCompleted() }
        ended.wait()
        #expect(meter.count == Self.feeders * Self.each)
        #expect(meter.clashed == 0)
    }

    @Test func combineLatestZipAndWithLatestFromTakeTwoThreads() {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let meters = [Meter(), Meter(), Meter()]
        let all = [
            Observable.combineLatest(left, right) { $0 + $1 }.subscribe(onNext: { _ in meters[0].hit() }),
            Observable.zip(left, right) { $0 + $1 }.subscribe(onNext: { _ in meters[1].hit() }),
            left.withLatestFrom(right).subscribe(onNext: { _ in meters[2].hit() }),
        ]
        feed { ($0 % 2 == 0 ? left : right).onNext($1) }
        #expect(meters[1].count == Self.feeders / 2 * Self.each)
        #expect(meters.allSatisfy { $0.clashed == 0 })
        all.forEach { $0.dispose() }
    }

    @Test func observeOnKeepsTheOrderAcrossThreads() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let ended = DispatchSemaphore(value: 0)
        _ = subject.observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "stress"))
            .observe(on: ConcurrentDispatchQueueScheduler(queue: .global()))
            .subscribe(onNext: { log.add($0) }, onCompleted: { ended.signal() })
        for number in 0..<2_000 { subject.onNext(number) }
        subject.onCompleted()
        ended.wait()
        #expect(log.all == Array(0..<2_000))
    }

    // The real clock: the lean timeout only runs on it. The times are so long, or so short, that they do not matter.
    @Test func timeoutOnTheRealClock() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "timeout")
        let subject = PublishSubject<Int>()
        let meter = Meter()
        let subscription = subject.timeout(.seconds(600), scheduler: scheduler).subscribe(onNext: { _ in meter.hit() })
        feed { subject.onNext($1) }
        subscription.dispose()
        #expect(meter.count == Self.feeders * Self.each)
        let ended = DispatchSemaphore(value: 0)
        _ = Observable<Int>.never().timeout(.milliseconds(1), scheduler: scheduler)
            .subscribe(onError: { _ in ended.signal() })
        ended.wait()
    }

    @Test func disposeFromAnotherThreadInMidFlow() {
        for _ in 0..<100 {
            let subject = PublishSubject<Int>()
            let subscription = subject.flatMapLatest { Observable.of($0, $0) }.scan(0) { $0 + $1 }.share(replay: 1)
                .subscribe(onNext: { _ in })
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 { for number in 0..<20 { subject.onNext(number) } } else { subscription.dispose() }
            }
            #expect(!subject.hasObservers)
        }
    }
}
