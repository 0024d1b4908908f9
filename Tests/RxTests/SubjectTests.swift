import Rx
import RxTest
import Testing

@Suite struct SubjectTests {
    @Test func publishSubjectSendsWhatComesAfterSubscription() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        subject.onNext(1)
        let first = subject.subscribe(onNext: { log.add("a\($0)") }, onCompleted: { log.add("a.") })
        subject.onNext(2)
        _ = subject.subscribe(onNext: { log.add("b\($0)") }, onCompleted: { log.add("b.") })
        subject.onNext(3)
        first.dispose()
        subject.onNext(4)
        #expect(subject.hasObservers)
        subject.onCompleted()
        subject.onNext(5)
        #expect(!subject.hasObservers)
        _ = subject.subscribe(onCompleted: { log.add("late.") })
        #expect(log.all == ["a2", "a3", "b3", "b4", "b.", "late."])
    }

    @Test func publishSubjectTellsItsErrorToLateSubscribersToo() {
        let subject = PublishSubject<Int>()
        let log = Log<TestError>()
        _ = subject.subscribe(onError: { log.add($0 as? TestError ?? .second) })
        subject.onError(TestError.first)
        _ = subject.subscribe(onError: { log.add($0 as? TestError ?? .second) })
        #expect(log.all == [.first, .first])
    }

    @Test func aReentrantElementIsDeliveredAtOnce() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(onNext: { value in
            log.add("a\(value)")
            if value == 1 { subject.onNext(2) }
        })
        _ = subject.subscribe(onNext: { log.add("b\($0)") })
        subject.onNext(1)
        #expect(log.all == ["a1", "a2", "b2", "b1"])
    }

    @Test func whoSubscribesInsideAnEventDoesNotGetThatOne() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.take(1).subscribe(onNext: { _ in _ = subject.subscribe(onNext: { log.add("inner\($0)") }) })
        subject.onNext(1)
        #expect(log.all.isEmpty)
        subject.onNext(2)
        #expect(log.all == ["inner2"])
    }

    @Test func whoIsDisposedOfInsideAnEventGetsNoMore() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let holder = Holder()
        _ = subject.subscribe(onNext: { _ in holder.drop() })
        holder.hold(subject.subscribe(onNext: { log.add($0) }))
        subject.onNext(1)
        #expect(log.all.isEmpty)
    }

    @Test func manySubscribersMayGoInAnyOrder() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        var all = (0..<5_000).map { number in subject.subscribe(onNext: { _ in log.add(number) }) }
        subject.onNext(0)
        #expect(log.all == Array(0..<5_000))
        for index in stride(from: 0, to: 5_000, by: 2) { all[index].dispose() }
        subject.onNext(0)
        #expect(log.count == 7_500)
        all.removeAll()
        subject.onCompleted()
    }

    @Test func behaviorSubjectSendsItsValueFirst() throws {
        let subject = BehaviorSubject(value: 0)
        let log = Log<String>()
        _ = subject.subscribe(onNext: { log.add("a\($0)") })
        subject.onNext(1)
        _ = subject.subscribe(onNext: { log.add("b\($0)") })
        #expect(try subject.value() == 1)
        subject.onError(TestError.first)
        #expect(throws: TestError.first) { try subject.value() }
        _ = subject.subscribe(onNext: { log.add("c\($0)") }, onError: { _ in log.add("c!") })
        #expect(log.all == ["a0", "a1", "b1", "c!"])
    }

    @Test func replaySubjectRemembersBeyondTheEnd() {
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        for value in 1...3 { subject.onNext(value) }
        let log = Log<String>()
        _ = subject.subscribe(onNext: { log.add("a\($0)") })
        subject.onNext(4)
        subject.onCompleted()
        _ = subject.subscribe(onNext: { log.add("b\($0)") }, onCompleted: { log.add("b.") })
        #expect(log.all == ["a2", "a3", "a4", "b3", "b4", "b."])
    }

    @Test func asyncSubjectSendsTheLastAtTheEnd() {
        let subject = AsyncSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(onNext: { log.add("a\($0)") }, onCompleted: { log.add("a.") })
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all.isEmpty)
        subject.onCompleted()
        _ = subject.subscribe(onNext: { log.add("b\($0)") }, onCompleted: { log.add("b.") })
        #expect(log.all == ["a2", "a.", "b2", "b."])
    }

    @Test func relaysDoNotEnd() {
        let publish = PublishRelay<Int>()
        let behavior = BehaviorRelay(value: 1)
        let log = Log<String>()
        _ = publish.subscribe(onNext: { log.add("p\($0)") })
        _ = behavior.map { $0 }.subscribe(onNext: { log.add("b\($0)") })
        publish.accept(5)
        behavior.accept(2)
        #expect(behavior.value == 2)
        #expect(log.all == ["b1", "p5", "b2"])
    }

    @Test func aDisposedSubjectLetsGo() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(onNext: { log.add("a\($0)") })
        subject.dispose()
        subject.onNext(1)
        #expect(subject.isDisposed)
        _ = subject.subscribe(onError: { _ in log.add("disposed") })
        #expect(log.all == ["disposed"])
    }
}
