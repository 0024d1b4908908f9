import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// Some threads subscribe to a stream and dispose of it while other threads send elements.
@Suite struct SharingStressTests {
    /// A kind of subject, as an observer and as a stream.
    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable () -> (@Sendable (Event<Int>) -> Void, Observable<Int>)

        init<Made: SubjectType & ObserverType & Sendable>(_ name: String, _ make: @escaping @Sendable () -> Made)
        where Made.Element == Int, Made.Observer.Element == Int {
            testDescription = name
            self.make = {
                let subject = make()
                return ({ subject.on($0) }, subject.asObservable())
            }
        }

        static let all: [Subject] = [
            Subject("PublishSubject") { PublishSubject() }, Subject("BehaviorSubject") { BehaviorSubject(value: 0) },
            Subject("ReplaySubject of 1") { ReplaySubject.create(bufferSize: 1) },
            Subject("ReplaySubject of 3") { ReplaySubject.create(bufferSize: 3) },
            Subject("ReplaySubject") { ReplaySubject.createUnbounded() }, Subject("AsyncSubject") { AsyncSubject() },
        ]
    }

    @Test(arguments: Subject.all)
    func subscribersChangeWhileASubjectSends(_ kind: Subject) {
        let (feed, stream) = kind.make()
        let steady = EventChecker()
        _ = steady.listen(to: stream)
        DispatchQueue.concurrentPerform(iterations: 4) { feeder in
            for number in 1...300 {
                if feeder < 2 {
                    feed(.next(number))
                } else {
                    let checker = EventChecker()
                    let subscription = checker.listen(to: stream)
                    subscription.dispose()
                    checker.expectWellFormed("\(kind.testDescription), a subscriber that unsubscribed")
                    #expect(checker.timesDisposed == 1)
                }
            }
        }
        feed(.completed)
        steady.expectWellFormed(kind.testDescription)
        #expect(steady.hasEnded)
        #expect(kind.testDescription == "AsyncSubject" ? steady.count == 1 : steady.count >= 600)
    }

    /// A subscriber that is added while another thread ends the stream receives the end exactly once.
    @Test(arguments: Subject.all)
    func allSubscribersReceiveTheEndOnce(_ kind: Subject) {
        for round in 0..<10 {
            let (feed, stream) = kind.make()
            let witnesses = (0..<3).map { _ in (0..<20).map { _ in EventChecker() } }
            DispatchQueue.concurrentPerform(iterations: 4) { feeder in
                if feeder == 3 {
                    for number in 0..<(round * 5) { feed(.next(number)) }
                    feed(round % 2 == 0 ? .completed : .error(TestError.first))
                } else {
                    for checker in witnesses[feeder] { _ = checker.listen(to: stream) }
                }
            }
            for checker in witnesses.joined() {
                #expect(checker.hasEnded)
                #expect(checker.timesDisposed == 1)
                checker.expectWellFormed(kind.testDescription)
            }
        }
    }

    @Test func relaysAcceptElementsFromManyThreads() {
        let (publish, behavior) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
        let (one, two) = (EventChecker(), EventChecker())
        let all = [one.listen(to: publish.asObservable()), two.listen(to: behavior.asObservable())]
        StressTests().feed { _, number in
            publish.accept(number)
            behavior.accept(number)
            if number % 50 == 0 { behavior.subscribe(onNext: { _ in }).dispose() }
        }
        #expect(one.count == StressTests.feeders * StressTests.each)
        #expect(two.count == StressTests.feeders * StressTests.each + 1)
        one.expectWellFormed("PublishRelay")
        two.expectWellFormed("BehaviorRelay")
        all.forEach { $0.dispose() }
    }

    /// Counts the present subscriptions of a source, and how often there was more than one.
    final class Census: Sendable {
        let present = Atomic<Int>(0)
        let crowded = Atomic<Int>(0)

        func count(_ stream: Observable<Int>) -> Observable<Int> {
            Observable.create { observer in
                if self.present.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
                    self.crowded.add(1, ordering: .relaxed)
                }
                let subscription = stream.subscribe(observer)
                return Disposables.create {
                    self.present.subtract(1, ordering: .sequentiallyConsistent)
                    subscription.dispose()
                }
            }
        }
    }

    @Test(arguments: Sharing.allCases)
    func aSharedSourceIsDisposedOfWithTheLastOfManySubscribers(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let census = Census()
        let shared = sharing.share(census.count(subject.asObservable()))
        DispatchQueue.concurrentPerform(iterations: 4) { feeder in
            for number in 1...300 {
                if feeder == 0 {
                    subject.onNext(number)
                } else {
                    let checker = EventChecker()
                    let subscription = checker.listen(to: shared)
                    if number % 3 == 0 { subject.onNext(number) }
                    subscription.dispose()
                    checker.expectWellFormed("\(sharing)")
                }
            }
        }
        #expect(census.present.load(ordering: .sequentiallyConsistent) == 0)
        #expect(!subject.hasObservers)
        // The shared stream must still work after all subscribers have left.
        let last = EventChecker()
        let subscription = last.listen(to: shared)
        let before = last.count
        subject.onNext(1)
        #expect(last.count == before + 1)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test(arguments: Sharing.allCases)
    func aSharedSourceEndsWhileSubscribersChange(_ sharing: Sharing) {
        for round in 0..<6 {
            let subject = PublishSubject<Int>()
            let shared = sharing.share(subject.asObservable())
            let steady = EventChecker()
            let first = steady.listen(to: shared)
            DispatchQueue.concurrentPerform(iterations: 3) { feeder in
                for number in 1...40 {
                    if feeder == 0 {
                        subject.onNext(number)
                        if number == 5 + round * 6 {
                            if round % 2 == 0 { subject.onCompleted() } else { subject.onError(TestError.first) }
                        }
                    } else {
                        let checker = EventChecker()
                        let subscription = checker.listen(to: shared)
                        subscription.dispose()
                        checker.expectWellFormed("\(sharing)")
                    }
                }
            }
            #expect(steady.hasEnded, "\(sharing)")
            steady.expectWellFormed("\(sharing)")
            first.dispose()
            #expect(!subject.hasObservers, "\(sharing)")
        }
    }

    @Test func connectAndDisconnectWorkOnManyThreads() {
        let subject = PublishSubject<Int>()
        let census = Census()
        let published = census.count(subject.asObservable()).publish()
        let checker = EventChecker()
        let subscription = checker.listen(to: published)
        DispatchQueue.concurrentPerform(iterations: 4) { feeder in
            for number in 1...300 {
                if feeder == 0 { subject.onNext(number) } else { published.connect().dispose() }
            }
        }
        #expect(census.present.load(ordering: .sequentiallyConsistent) == 0)
        checker.expectWellFormed("publish")
        subscription.dispose()
    }
}
