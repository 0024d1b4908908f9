import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// If several threads send elements, operators that forward all elements lose none.
@Suite struct LossStressTests {
    static let all = StressTests.feeders * StressTests.each

    func feed(_ send: @escaping @Sendable (_ feeder: Int, _ number: Int) -> Void) { StressTests().feed(send) }

    @Test func aSubjectKeepsTheOrderOfEachThread() {
        let subject = PublishSubject<(Int, Int)>()
        let meter = StressTests.Meter()
        let lasts = Guarded([Int](repeating: -1, count: StressTests.feeders))
        let disorder = Atomic<Int>(0)
        let subscription = subject.scan(0) { count, _ in count + 1 }.subscribe(onNext: { _ in meter.hit() })
        let other = subject.subscribe(onNext: { feeder, number in
            lasts.withLock { last in
                if last[feeder] != number - 1 { disorder.add(1, ordering: .relaxed) }
                last[feeder] = number
            }
        })
        feed { subject.onNext(($0, $1)) }
        #expect(meter.count == Self.all)
        #expect(meter.clashed == 0)
        #expect(disorder.load(ordering: .relaxed) == 0)
        subscription.dispose()
        other.dispose()
    }

    /// Checks that an operator forwards all elements of four subjects.
    func expectAll(_ name: String, _ make: ([Observable<Int>]) -> Observable<Int>) {
        let subjects = (0..<StressTests.feeders).map { _ in PublishSubject<Int>() }
        let checker = EventChecker()
        let subscription = checker.listen(to: make(subjects.map { $0.asObservable() }))
        feed { subjects[$0].onNext($1) }
        for subject in subjects { subject.onCompleted() }
        #expect(checker.count == Self.all, "\(name)")
        #expect(checker.hasEnded, "\(name)")
        checker.expectWellFormed(name)
        subscription.dispose()
    }

    @Test func mergeLosesNoElement() {
        expectAll("merge") { Observable.merge($0) }
        expectAll("flatMap") { all in Observable.from(all).flatMap { $0 } }
        expectAll("merge(maxConcurrent:)") { all in Observable.from(all).merge(maxConcurrent: 4) }
        expectAll("merge of create") { all in
            Observable.create { observer in
                Disposables.create(all.map { $0.subscribe(onNext: { observer.onNext($0) }) })
            }
            .take(until: all[0].materialize().filter { $0.isStopEvent })
        }
    }

    @Test func zipPairsAllElements() {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let checker = EventChecker()
        let subscription = checker.listen(to: Observable.zip(left, right) { $0 + $1 })
        feed { ($0 % 2 == 0 ? left : right).onNext($1) }
        #expect(checker.count == Self.all / 2)
        checker.expectWellFormed("zip")
        subscription.dispose()
    }

    /// After both sides have emitted, `combineLatest` emits for each element of either side.
    ///
    /// `withLatestFrom` emits for each element of the left side.
    @Test func combineLatestAndWithLatestFromLoseNoElement() {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let (latest, with) = (EventChecker(), EventChecker())
        let all = [
            latest.listen(to: Observable.combineLatest(left, right) { $0 + $1 }),
            with.listen(to: left.withLatestFrom(right)),
        ]
        right.onNext(0)
        left.onNext(0)
        feed { ($0 % 2 == 0 ? left : right).onNext($1) }
        #expect(latest.count == Self.all + 1)
        #expect(with.count == Self.all / 2 + 1)
        latest.expectWellFormed("combineLatest")
        with.expectWellFormed("withLatestFrom")
        all.forEach { $0.dispose() }
    }

    @Test func concatMapLosesNoElement() {
        let subject = PublishSubject<Int>()
        let checker = EventChecker()
        let subscription = checker.listen(to: subject.concatMap { Observable.of($0, $0) })
        feed { subject.onNext($1) }
        #expect(checker.count == 2 * Self.all)
        checker.expectWellFormed("concatMap")
        subscription.dispose()
    }

    @Test func observeOnAQueueLosesNoElementAndKeepsTheOrder() {
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

    /// A box for the element that a subscriber received last.
    final class Latest: Sendable {
        let value = Atomic<Int>(.min)
    }

    @Test func lateSubscribersReceiveElementsWithoutGaps() {
        let subject = BehaviorSubject(value: -1)
        let gaps = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 3) { feeder in
            if feeder == 0 {
                for number in 0..<1_000 { subject.onNext(number) }
            } else {
                for _ in 0..<100 {
                    let last = Latest()
                    _ = subject.take(5).subscribe(onNext: { value in
                        let before = last.value.exchange(value, ordering: .relaxed)
                        if before != .min, value != before + 1 { gaps.add(1, ordering: .relaxed) }
                    })
                }
            }
        }
        subject.onCompleted()
        #expect(gaps.load(ordering: .relaxed) == 0)
    }
}
