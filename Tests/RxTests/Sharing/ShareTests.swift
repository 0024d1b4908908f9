import Rx
import RxTest
import Testing

/// The ways to share a stream, for tests that apply to all of them.
enum Sharing: CaseIterable, Sendable {
    case plain, one, many, plainForever, oneForever, manyForever

    func share(_ stream: Observable<Int>) -> Observable<Int> {
        switch self {
        case .plain: stream.share()
        case .one: stream.share(replay: 1)
        case .many: stream.share(replay: 2)
        case .plainForever: stream.share(scope: .forever)
        case .oneForever: stream.share(replay: 1, scope: .forever)
        case .manyForever: stream.share(replay: 2, scope: .forever)
        }
    }

    var replay: Int {
        switch self {
        case .plain, .plainForever: 0
        case .one, .oneForever: 1
        case .many, .manyForever: 2
        }
    }

    var isForever: Bool { self == .plainForever || self == .oneForever || self == .manyForever }
}

@Suite struct ShareTests {
    let scheduler = TestScheduler(initialClock: 0)

    func events(_ observer: TestableObserver<Int>) -> [RecordedEvent<Int>] { observer.events }

    /// Returns the latest `count` values as elements at a tick.
    func past(_ values: [Int], _ count: Int, at time: Int) -> [RecordedEvent<Int>] {
        values.suffix(count).map { .next(time, $0) }
    }

    @Test(arguments: Sharing.allCases)
    func lateSubscribersReceiveStoredElementsOfOneSubscription(_ sharing: Sharing) {
        let source = scheduler.createHotObservable(usual)
        let shared = sharing.share(source.asObservable())
        let (one, two) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        scheduler.scheduleAt(200) { _ = shared.subscribe(one) }
        scheduler.scheduleAt(235) { _ = shared.subscribe(two) }
        scheduler.start()
        #expect(one.events == Array(usual.dropFirst()))
        #expect(two.events == past([1, 2, 3], sharing.replay, at: 235) + Array(usual.dropFirst(4)))
        #expect(source.subscriptions == [Subscription(200, 300)])
    }

    @Test(arguments: Sharing.allCases)
    func theSourceIsDisposedOfWithTheLastSubscriber(_ sharing: Sharing) {
        let source = scheduler.createHotObservable(usual)
        let shared = sharing.share(source.asObservable())
        let (one, two) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        let three = scheduler.createObserver(Int.self)
        let holders = [Holder(), Holder(), Holder()]
        scheduler.scheduleAt(200) { holders[0].hold(shared.subscribe(one)) }
        scheduler.scheduleAt(215) { holders[1].hold(shared.subscribe(two)) }
        scheduler.scheduleAt(225) { holders[0].drop() }
        scheduler.scheduleAt(226) { holders[1].drop() }
        scheduler.scheduleAt(235) { holders[2].hold(shared.subscribe(three)) }
        scheduler.scheduleAt(245) { holders[2].drop() }
        scheduler.start()
        #expect(one.events == [.next(210, 1), .next(220, 2)])
        #expect(two.events == past([1], sharing.replay, at: 215) + [.next(220, 2)])
        // A stream that is shared forever stores its elements while it has no subscribers.
        #expect(three.events == past([1, 2], sharing.isForever ? sharing.replay : 0, at: 235) + [.next(240, 4)])
        #expect(source.subscriptions == [Subscription(200, 226), Subscription(235, 245)])
    }

    @Test(arguments: Sharing.allCases)
    func aSubscriberAfterCompletion(_ sharing: Sharing) {
        let source = scheduler.createColdObservable(
            [.next(10, 1), .next(20, 2), .completed(30)] as [RecordedEvent<Int>])
        let shared = sharing.share(source.asObservable())
        let first = scheduler.start { shared }
        #expect(first.events == [.next(210, 1), .next(220, 2), .completed(230)])
        let second = scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) { shared }
        if sharing.isForever {
            #expect(second.events == past([1, 2], sharing.replay, at: 1200) + [.completed(1200)])
            #expect(source.subscriptions == [Subscription(200, 230)])
        } else {
            #expect(second.events == [.next(1210, 1), .next(1220, 2), .completed(1230)])
            #expect(source.subscriptions == [Subscription(200, 230), Subscription(1200, 1230)])
        }
    }

    @Test(arguments: Sharing.allCases)
    func aSubscriberAfterTheError(_ sharing: Sharing) {
        let source = scheduler.createColdObservable(
            [.next(10, 1), .error(20, TestError.first)] as [RecordedEvent<Int>])
        let shared = sharing.share(source.asObservable())
        let first = scheduler.start { shared }
        #expect(first.events == [.next(210, 1), .error(220, TestError.first)])
        let second = scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) { shared }
        if sharing.isForever {
            #expect(second.events == past([1], sharing.replay, at: 1200) + [.error(1200, TestError.first)])
        } else {
            #expect(second.events == [.next(1210, 1), .error(1220, TestError.first)])
        }
    }

    @Test(arguments: Sharing.allCases)
    func aRetryInsideTheErrorStartsAgainIfPossible(_ sharing: Sharing) {
        let source = scheduler.createColdObservable(
            [.next(10, 1), .error(20, TestError.first)] as [RecordedEvent<Int>])
        let shared = sharing.share(source.asObservable())
        let result = scheduler.start(disposed: 235) { shared.retry(2) }
        if sharing.isForever {
            let again = past([1], sharing.replay, at: 220)
            #expect(result.events == [.next(210, 1)] + again + [.error(220, TestError.first)])
        } else {
            #expect(result.events == [.next(210, 1), .next(230, 1)])
            #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 235)])
        }
    }

    @Test(arguments: Sharing.allCases)
    func allSubscribersReceiveTheEnd(_ sharing: Sharing) {
        let source = scheduler.createHotObservable(failing)
        let shared = sharing.share(source.asObservable())
        let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
        scheduler.scheduleAt(200) { for observer in observers { _ = shared.subscribe(observer) } }
        scheduler.start()
        for observer in observers { #expect(observer.events == Array(failing.dropFirst())) }
        #expect(source.subscriptions == [Subscription(200, 225)])
    }

    @Test(arguments: Sharing.allCases)
    func aSourceThatEndsAtSubscription(_ sharing: Sharing) {
        let starts = Log<Int>()
        let source = Observable<Int>.create { observer in
            starts.add(1)
            observer.onNext(starts.count)
            observer.onCompleted()
            return Disposables.create()
        }
        let log = Log<String>()
        let shared = sharing.share(source)
        for _ in 0..<2 { _ = shared.subscribe(onNext: { log.add("\($0)") }, onCompleted: { log.add(".") }) }
        #expect(
            log.all == ["1", "."] + (sharing.isForever ? Array(repeating: "1", count: min(sharing.replay, 1)) : ["2"])
                + ["."])
        #expect(starts.count == (sharing.isForever ? 1 : 2))
    }

    @Test(arguments: Sharing.allCases)
    func disposalInsideAnElementDoesNotAffectOtherSubscribers(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let shared = sharing.share(subject.asObservable())
        let log = Log<String>()
        let holder = Holder()
        holder.hold(
            shared.subscribe(onNext: { value in
                log.add("a\(value)")
                holder.drop()
            }))
        let other = shared.subscribe(onNext: { log.add("b\($0)") })
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all == ["a1", "b1", "b2"])
        other.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func aSharedMapRunsOnceForAllSubscribers() {
        let maps = Log<Int>()
        let subject = PublishSubject<Int>()
        let shared = subject.map { value in
            maps.add(value)
            return value
        }.share(replay: 3)
        let late = Log<Int>()
        _ = shared.subscribe(onNext: { _ in })
        for value in 1...4 { subject.onNext(value) }
        _ = shared.subscribe(onNext: { late.add($0) })
        #expect(maps.all == [1, 2, 3, 4])
        #expect(late.all == [2, 3, 4])
    }
}

@Suite struct LateShareTests {
    /// The current element is stored before it is emitted. A new subscriber still receives it only once.
    @Test(arguments: Sharing.allCases)
    func aSubscriberAddedInsideAnElementReceivesItOnce(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let shared = sharing.share(subject.asObservable())
        let log = Log<Int>()
        let first = shared.subscribe(onNext: { value in
            if value == 1 { _ = shared.subscribe(onNext: { log.add($0) }) }
        })
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all == (sharing.replay > 0 ? [1, 2] : [2]))
        first.dispose()
    }

    /// The shared stream forgets its ended source before subscribers receive the end.
    ///
    /// A subscriber that is added inside the end subscribes to the source again, unless the stream is shared forever.
    @Test(arguments: Sharing.allCases)
    func aSubscriberAddedInsideTheEnd(_ sharing: Sharing) {
        let source = Observable<Int>.just(1)
        let starts = Log<Int>()
        let shared = sharing.share(source.do(onSubscribe: { starts.add(1) }))
        let log = Log<String>()
        _ = shared.subscribe(
            onNext: { log.add("a\($0)") },
            onCompleted: {
                _ = shared.subscribe(onNext: { log.add("b\($0)") }, onCompleted: { log.add("b.") })
            })
        let past = sharing.isForever ? (sharing.replay > 0 ? ["b1"] : []) : ["b1"]
        #expect(log.all == ["a1"] + past + ["b."])
        #expect(starts.count == (sharing.isForever ? 1 : 2))
    }

    @Test(arguments: Sharing.allCases)
    func disposalOfOneSubscriberKeepsTheOther(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let shared = sharing.share(subject.asObservable())
        let log = Log<String>()
        let first = shared.subscribe(onNext: { log.add("a\($0)") })
        let second = shared.subscribe(onNext: { log.add("b\($0)") })
        first.dispose()
        first.dispose()
        subject.onNext(1)
        #expect(subject.hasObservers)
        second.dispose()
        #expect(!subject.hasObservers)
        #expect(log.all == ["b1"])
    }
}
