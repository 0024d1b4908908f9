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

    /// Counts what arrives, and how often two came at once.
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

    /// Feeds both sides from three threads. One of them disposes of the subscription in the midst of it and goes on.
    static func disposeInMidFlow(
        _ name: String, _ make: (Observable<Int>, Observable<Int>) -> Observable<Int>,
        leavesAtOnce: Bool = true
    ) {
        for round in 0..<6 {
            let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
            let witness = Witness()
            let subscription = witness.listen(to: make(left.asObservable(), right.asObservable()))
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
            witness.expectGrammar(name)
            #expect(witness.timesDisposed == 1, "\(name)")
            if leavesAtOnce { #expect(!left.hasObservers && !right.hasObservers, "\(name)") }
        }
    }

    /// Feeds both sides from three threads, one of which ends the left side in the midst of it, in a good or a bad way.
    static func endInMidFlow(
        _ name: String, _ make: (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) {
        for round in 0..<6 {
            let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
            let witness = Witness()
            let subscription = witness.listen(to: make(left.asObservable(), right.asObservable()))
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
            witness.expectGrammar(name)
            subscription.dispose()
            #expect(witness.timesDisposed == 1, "\(name)")
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

    /// The source of an operator with one source is fed by several threads too.
    @Test(arguments: OneSource.all)
    func oneSourceAndDisposal(_ operation: OneSource) {
        let scheduler = TestScheduler(initialClock: 0)
        // What is subscribed to, or left, on the scheduler is so when its clock is moved.
        let isPrompt = operation.lateness == 0 && operation.wellLife.subscribe == 200
        Self.disposeInMidFlow(
            operation.name, { left, right in operation.make(Observable.merge(left, right), scheduler) },
            leavesAtOnce: isPrompt)
    }

    @Test func aSubscriptionDisposedOfByManyIsDisposedOfOnce() {
        for _ in 0..<50 {
            let undone = Meter()
            let witness = Witness()
            let subscription = witness.listen(
                to: Observable<Int>.create { _ in Disposables.create { undone.hit() } }.map { $0 }
                    .share(replay: 1).do(onDispose: { undone.hit() }))
            DispatchQueue.concurrentPerform(iterations: 4) { _ in subscription.dispose() }
            #expect(witness.timesDisposed == 1)
            #expect(undone.count == 2)
        }
    }
}
