import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// Subscribers come and go on several threads while others feed.
@Suite struct SharingStressTests {
    /// A subject in its feeding and its listening form.
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
    func subscribersComeAndGoWhileASubjectIsFed(_ kind: Subject) {
        let (feed, stream) = kind.make()
        let steady = Witness()
        _ = steady.listen(to: stream)
        DispatchQueue.concurrentPerform(iterations: 4) { feeder in
            for number in 1...300 {
                if feeder < 2 {
                    feed(.next(number))
                } else {
                    let witness = Witness()
                    let subscription = witness.listen(to: stream)
                    subscription.dispose()
                    witness.expectGrammar("\(kind.testDescription), who came and went")
                    #expect(witness.timesDisposed == 1)
                }
            }
        }
        feed(.completed)
        steady.expectGrammar(kind.testDescription)
        #expect(steady.hasEnded)
        #expect(kind.testDescription == "AsyncSubject" ? steady.count == 1 : steady.count >= 600)
    }

    /// Who subscribes as the stream ends hears the end, once, on either side of it.
    @Test(arguments: Subject.all)
    func everybodyHearsTheEndOnce(_ kind: Subject) {
        for round in 0..<10 {
            let (feed, stream) = kind.make()
            let witnesses = (0..<3).map { _ in (0..<20).map { _ in Witness() } }
            DispatchQueue.concurrentPerform(iterations: 4) { feeder in
                if feeder == 3 {
                    for number in 0..<(round * 5) { feed(.next(number)) }
                    feed(round % 2 == 0 ? .completed : .error(TestError.first))
                } else {
                    for witness in witnesses[feeder] { _ = witness.listen(to: stream) }
                }
            }
            for witness in witnesses.joined() {
                #expect(witness.hasEnded)
                #expect(witness.timesDisposed == 1)
                witness.expectGrammar(kind.testDescription)
            }
        }
    }

    @Test func relaysTakeManyThreads() {
        let (publish, behavior) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
        let (one, two) = (Witness(), Witness())
        let all = [one.listen(to: publish.asObservable()), two.listen(to: behavior.asObservable())]
        StressTests().feed { _, number in
            publish.accept(number)
            behavior.accept(number)
            if number % 50 == 0 { behavior.subscribe(onNext: { _ in }).dispose() }
        }
        #expect(one.count == StressTests.feeders * StressTests.each)
        #expect(two.count == StressTests.feeders * StressTests.each + 1)
        one.expectGrammar("PublishRelay")
        two.expectGrammar("BehaviorRelay")
        all.forEach { $0.dispose() }
    }

    /// How many subscriptions a source has, and whether it ever had two.
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
    func aSharedSourceIsLeftWithTheLastOfMany(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let census = Census()
        let shared = sharing.share(census.count(subject.asObservable()))
        DispatchQueue.concurrentPerform(iterations: 4) { feeder in
            for number in 1...300 {
                if feeder == 0 {
                    subject.onNext(number)
                } else {
                    let witness = Witness()
                    let subscription = witness.listen(to: shared)
                    if number % 3 == 0 { subject.onNext(number) }
                    subscription.dispose()
                    witness.expectGrammar("\(sharing)")
                }
            }
        }
        #expect(census.present.load(ordering: .sequentiallyConsistent) == 0)
        #expect(!subject.hasObservers)
        // It still works.
        let last = Witness()
        let subscription = last.listen(to: shared)
        let before = last.count
        subject.onNext(1)
        #expect(last.count == before + 1)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test(arguments: Sharing.allCases)
    func aSharedSourceEndsWhileSubscribersComeAndGo(_ sharing: Sharing) {
        for round in 0..<6 {
            let subject = PublishSubject<Int>()
            let shared = sharing.share(subject.asObservable())
            let steady = Witness()
            let first = steady.listen(to: shared)
            DispatchQueue.concurrentPerform(iterations: 3) { feeder in
                for number in 1...40 {
                    if feeder == 0 {
                        subject.onNext(number)
                        if number == 5 + round * 6 {
                            if round % 2 == 0 { subject.onCompleted() } else { subject.onError(TestError.first) }
                        }
                    } else {
                        let witness = Witness()
                        let subscription = witness.listen(to: shared)
                        subscription.dispose()
                        witness.expectGrammar("\(sharing)")
                    }
                }
            }
            #expect(steady.hasEnded, "\(sharing)")
            steady.expectGrammar("\(sharing)")
            first.dispose()
            #expect(!subject.hasObservers, "\(sharing)")
        }
    }

    @Test func connectAndDisconnectOnManyThreads() {
        let subject = PublishSubject<Int>()
        let census = Census()
        let published = census.count(subject.asObservable()).publish()
        let witness = Witness()
        let subscription = witness.listen(to: published)
        DispatchQueue.concurrentPerform(iterations: 4) { feeder in
            for number in 1...300 {
                if feeder == 0 { subject.onNext(number) } else { published.connect().dispose() }
            }
        }
        #expect(census.present.load(ordering: .sequentiallyConsistent) == 0)
        witness.expectGrammar("publish")
        subscription.dispose()
    }
}
