import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// Operators that several threads use. Run these tests with `--sanitize=thread`.
///
/// The threads wait for each other, not for a time.
@Suite struct StressTests {
    static let feeders = 4
    static let each = 500

    /// Sends elements from several threads and waits until all have finished.
    func feed(_ send: @escaping @Sendable (_ feeder: Int, _ number: Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: Self.feeders) { feeder in
            for number in 0..<Self.each { send(feeder, number) }
        }
    }

    /// Counts events, and how often two threads delivered events at the same time.
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

    /// Sends elements to both sides from three threads. One thread disposes of the subscription midway.
    static func disposeInMidFlow(
        _ name: String, _ make: (Observable<Int>, Observable<Int>) -> Observable<Int>,
        leavesAtOnce: Bool = true
    ) {
        for round in 0..<6 {
            let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
            let checker = EventChecker()
            let subscription = checker.listen(to: make(left.asObservable(), right.asObservable()))
            let disposed = Flag()
            let moment = 20 + round * 80
            DispatchQueue.concurrentPerform(iterations: 3) { feeder in
                for number in 1...Self.each {
                    if feeder == 0, number == moment {
                        subscription.dispose()
                        disposed.raise()
                    }
                    let element = disposed.isRaised ? -number : number
                    if feeder == 0 || (feeder == 2 && number % 2 == 0) {
                        left.onNext(element)
                    } else {
                        right.onNext(element)
                    }
                }
            }
            checker.expectWellFormed(name)
            #expect(checker.timesDisposed == 1, "\(name)")
            if leavesAtOnce { #expect(!left.hasObservers && !right.hasObservers, "\(name)") }
        }
    }

    /// Sends elements to both sides from three threads. One thread completes or fails the left side midway.
    static func endInMidFlow(
        _ name: String, _ make: (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) {
        for round in 0..<6 {
            let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
            let checker = EventChecker()
            let subscription = checker.listen(to: make(left.asObservable(), right.asObservable()))
            let moment = 20 + round * 80
            DispatchQueue.concurrentPerform(iterations: 3) { feeder in
                for number in 1...Self.each {
                    if feeder == 0, number == moment {
                        if round % 2 == 0 { left.onCompleted() } else { left.onError(TestError.first) }
                    }
                    if feeder == 0 || (feeder == 2 && number % 2 == 0) {
                        left.onNext(number)
                    } else {
                        right.onNext(number)
                    }
                }
            }
            right.onCompleted()
            checker.expectWellFormed(name)
            subscription.dispose()
            #expect(checker.timesDisposed == 1, "\(name)")
            #expect(!left.hasObservers && !right.hasObservers, "\(name)")
        }
    }

    @Test(arguments: TwoSources.all)
    func twoSourcesAndDisposal(_ operation: TwoSources) {
        let scheduler = TestScheduler(initialClock: 0)
        Self.disposeInMidFlow(operation.name, { operation.make($0, $1, scheduler) })
    }

    @Test(arguments: TwoSources.all)
    func twoSourcesAndAnEnd(_ operation: TwoSources) {
        let scheduler = TestScheduler(initialClock: 0)
        Self.endInMidFlow(operation.name) { operation.make($0, $1, scheduler) }
    }

    /// Three threads send elements to an operator with one source, and one thread disposes of it midway.
    @Test(arguments: OneSource.all)
    func oneSourceAndDisposal(_ operation: OneSource) {
        let scheduler = TestScheduler(initialClock: 0)
        // Sources are not released at once if the operator subscribes or disposes on the scheduler: its clock does not
        // advance.
        let isPrompt = operation.disposalDelay == 0 && operation.usualLifetime.subscribe == 200
        Self.disposeInMidFlow(
            operation.name, { left, right in operation.make(Observable.merge(left, right), scheduler) },
            leavesAtOnce: isPrompt)
    }

    @Test func aSubscriptionDisposedOfByManyThreadsEndsOnce() {
        for _ in 0..<50 {
            let undone = Meter()
            let checker = EventChecker()
            let subscription = checker.listen(
                to: Observable<Int>.create { _ in Disposables.create { undone.hit() } }.map { $0 }
                    .share(replay: 1).do(onDispose: { undone.hit() }))
            DispatchQueue.concurrentPerform(iterations: 4) { _ in subscription.dispose() }
            #expect(checker.timesDisposed == 1)
            #expect(undone.count == 2)
        }
    }
}
