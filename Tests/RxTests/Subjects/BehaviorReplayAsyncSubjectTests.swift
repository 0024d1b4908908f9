import Rx
import RxTest
import Testing

@Suite struct BehaviorSubjectTests {
    let log = Log<String>()

    func listen(_ stream: Observable<Int>, _ name: String) -> any Disposable {
        let log = log
        return stream.subscribe(
            onNext: { log.add("\(name)\($0)") }, onError: { log.add("\(name)!\($0)") },
            onCompleted: { log.add("\(name).") })
    }

    @Test func subscribersReceiveTheCurrentValueFirst() throws {
        let subject = BehaviorSubject(value: 0)
        _ = listen(subject, "a")
        subject.onNext(1)
        _ = listen(subject, "b")
        #expect(try subject.value() == 1)
        #expect(log.all == ["a0", "a1", "b1"])
    }

    @Test func valueThrowsTheErrorAfterAnError() {
        let subject = BehaviorSubject(value: 0)
        subject.onError(TestError.first)
        subject.onNext(1)
        #expect(throws: TestError.first) { try subject.value() }
        _ = listen(subject, "a")
        #expect(log.all == ["a!first"])
    }

    @Test func afterCompletionTheValueRemainsAndSubscribersReceiveOnlyTheEnd() throws {
        let subject = BehaviorSubject(value: 0)
        subject.onNext(1)
        subject.onCompleted()
        subject.onNext(2)
        #expect(try subject.value() == 1)
        _ = listen(subject, "a")
        #expect(log.all == ["a."])
    }

    @Test func valueThrowsAfterDisposal() {
        let subject = BehaviorSubject(value: 0)
        subject.dispose()
        #expect(throws: RxError.self) { try subject.value() }
    }

    @Test func aValueCanBeSetInsideTheFirstElement() {
        let subject = BehaviorSubject(value: 0)
        let log = log
        _ = subject.subscribe(onNext: { value in
            log.add("a\(value)")
            if value < 2 { subject.onNext(value + 1) }
        })
        #expect(log.all == ["a0", "a1", "a2"])
    }
}

@Suite struct ReplaySubjectTests {
    let log = Log<String>()

    func listen(_ stream: Observable<Int>, _ name: String) -> any Disposable {
        let log = log
        return stream.subscribe(
            onNext: { log.add("\(name)\($0)") }, onError: { log.add("\(name)!\($0)") },
            onCompleted: { log.add("\(name).") })
    }

    @Test(arguments: [0, 1, 2, 5, Int.max])
    func elementsAreReplayedAfterTheEnd(_ size: Int) {
        let subject = size == .max ? ReplaySubject<Int>.createUnbounded() : .create(bufferSize: size)
        for value in 1...3 { subject.onNext(value) }
        _ = listen(subject, "a")
        subject.onNext(4)
        subject.onCompleted()
        subject.onNext(5)
        _ = listen(subject, "b")
        let (first, second) = ([1, 2, 3].suffix(size).map { "a\($0)" }, [1, 2, 3, 4].suffix(size).map { "b\($0)" })
        #expect(log.all == first + ["a4", "a."] + second + ["b."])
    }

    @Test func elementsAreReplayedAfterAnError() {
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        for value in 1...3 { subject.onNext(value) }
        subject.onError(TestError.first)
        _ = listen(subject, "a")
        #expect(log.all == ["a2", "a3", "a!first"])
    }

    @Test func disposalInsideAReplayedElementStopsTheReplay() {
        let subject = ReplaySubject<Int>.createUnbounded()
        for value in 1...5 { subject.onNext(value) }
        _ = listen(subject.take(2), "a")
        #expect(log.all == ["a1", "a2", "a."])
        #expect(!subject.hasObservers)
    }

    @Test func anElementSentInsideAReplayedOneFollowsIt() {
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        subject.onNext(1)
        let log = log
        _ = subject.subscribe(onNext: { value in
            log.add("a\(value)")
            if value == 1 { subject.onNext(2) }
        })
        #expect(log.all == ["a1", "a2"])
    }
}

@Suite struct AsyncSubjectTests {
    let log = Log<String>()

    func listen(_ stream: Observable<Int>, _ name: String) -> any Disposable {
        let log = log
        return stream.subscribe(
            onNext: { log.add("\(name)\($0)") }, onError: { log.add("\(name)!\($0)") },
            onCompleted: { log.add("\(name).") })
    }

    @Test func theLastElementIsSentAtCompletion() {
        let subject = AsyncSubject<Int>()
        let gone = listen(subject, "gone")
        _ = listen(subject, "a")
        subject.onNext(1)
        gone.dispose()
        subject.onNext(2)
        #expect(log.all.isEmpty)
        subject.onCompleted()
        subject.onNext(3)
        _ = listen(subject, "b")
        #expect(log.all == ["a2", "a.", "b2", "b."])
    }

    @Test func withoutAnElementOnlyCompletionIsSent() {
        let subject = AsyncSubject<Int>()
        _ = listen(subject, "a")
        subject.onCompleted()
        _ = listen(subject, "b")
        #expect(log.all == ["a.", "b."])
    }

    @Test func anErrorIsSentWithoutElements() {
        let subject = AsyncSubject<Int>()
        _ = listen(subject, "a")
        subject.onNext(1)
        subject.onError(TestError.first)
        _ = listen(subject, "b")
        #expect(log.all == ["a!first", "b!first"])
    }
}

@Suite struct RelayTests {
    @Test func relaysDoNotEnd() {
        let publish = PublishRelay<Int>()
        let behavior = BehaviorRelay(value: 1)
        let log = Log<String>()
        let first = publish.subscribe(onNext: { log.add("p\($0)") })
        _ = behavior.map { $0 }.subscribe(onNext: { log.add("b\($0)") })
        publish.accept(5)
        behavior.accept(2)
        #expect(behavior.value == 2)
        #expect(log.all == ["b1", "p5", "b2"])
        first.dispose()
        publish.accept(6)
        #expect(log.count == 3)
    }

    @Test func aReentrantValueIsDelivered() {
        let relay = BehaviorRelay(value: 0)
        let log = Log<Int>()
        _ = relay.subscribe(onNext: { value in
            log.add(value)
            if value < 3 { relay.accept(value + 1) }
        })
        #expect(log.all == [0, 1, 2, 3])
        #expect(relay.value == 3)
    }
}
