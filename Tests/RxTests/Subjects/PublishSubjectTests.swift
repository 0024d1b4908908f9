import Rx
import RxTest
import Testing

@Suite struct PublishSubjectTests {
    @Test func subscribersReceiveLaterElements() {
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
        subject.onError(TestError.first)
        #expect(!subject.hasObservers)
        _ = subject.subscribe(onCompleted: { log.add("late.") })
        #expect(log.all == ["a2", "a3", "b3", "b4", "b.", "late."])
    }

    @Test func lateSubscribersReceiveTheError() {
        let subject = PublishSubject<Int>()
        let log = Log<TestError>()
        _ = subject.subscribe(onError: { log.add($0 as? TestError ?? .second) })
        subject.onError(TestError.first)
        subject.onCompleted()
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

    @Test func aReentrantEndPrecedesTheRestOfTheElement() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(
            onNext: { _ in
                subject.onCompleted()
                log.add("a1")
            }, onCompleted: { log.add("a.") })
        _ = subject.subscribe(onNext: { log.add("b\($0)") }, onCompleted: { log.add("b.") })
        subject.onNext(1)
        #expect(log.all == ["a.", "b.", "a1"])
    }

    @Test func aSubscriberAddedInsideAnEventDoesNotReceiveIt() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.take(1).subscribe(onNext: { _ in _ = subject.subscribe(onNext: { log.add("inner\($0)") }) })
        subject.onNext(1)
        #expect(log.all.isEmpty)
        subject.onNext(2)
        #expect(log.all == ["inner2"])
    }

    @Test func aSubscriberAddedInsideTheEndReceivesTheEnd() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(onCompleted: { _ = subject.subscribe(onCompleted: { log.add("inner.") }) })
        subject.onCompleted()
        #expect(log.all == ["inner."])
    }

    @Test func aSubscriberDisposedOfInsideAnEventReceivesNoMore() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let holder = Holder()
        _ = subject.subscribe(onNext: { _ in holder.drop() })
        holder.hold(subject.subscribe(onNext: { log.add($0) }))
        subject.onNext(1)
        #expect(log.all.isEmpty)
    }

    /// An iteration over the subscribers retains none of them.
    @Test(arguments: [true, false])
    func subscribersThatAnEventReleasesReceiveNoMore(ends: Bool) {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let others = SerialDisposable()
        _ = subject.subscribe(onNext: { value in
            // The subscribers after this one, including the next of the iteration, lose every owner but the list.
            if value == 2 { others.disposable = Disposables.create() }
            if value == 1 || ends { value == 1 ? subject.onNext(2) : subject.onCompleted() }
        })
        others.disposable = CompositeDisposable(
            disposables: (0..<10).map { number in
                subject.subscribe(
                    onNext: { log.add("\(number): \($0)") }, onCompleted: { log.add("\(number).") })
            })
        _ = subject.subscribe(onNext: { log.add("last: \($0)") }, onCompleted: { log.add("last.") })
        subject.onNext(1)
        #expect(log.all == (ends ? ["last."] : ["last: 2", "last: 1"]))
        #expect(subject.hasObservers == !ends)
        subject.onNext(3)
        #expect(log.count == (ends ? 1 : 3))
    }

    @Test func anEndInsideAnEventReleasesTheSubscribersAfterIt() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        weak var captured: Holder?
        do {
            let holder = Holder()
            captured = holder
            _ = subject.subscribe(onNext: { _ in subject.onCompleted() })
            for number in 0..<3 {
                _ = subject.subscribe(onCompleted: { [holder] in log.add("\(number)\(holder.slot.isDisposed)") })
            }
        }
        #expect(captured != nil)
        subject.onNext(1)
        #expect(log.all == ["0false", "1false", "2false"])
        #expect(captured == nil)
    }

    @Test func manySubscribersMayUnsubscribeInAnyOrder() {
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

    @Test func aDisposedSubjectReleasesItsSubscribers() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(onNext: { log.add("a\($0)") }, onCompleted: { log.add("a.") })
        #expect(!subject.isDisposed)
        subject.dispose()
        subject.onNext(1)
        subject.onCompleted()
        #expect(subject.isDisposed)
        #expect(!subject.hasObservers)
        _ = subject.subscribe(onError: { log.add(($0 as? RxError).map { "\($0)".prefix(8) + "" } ?? "?") })
        #expect(log.all == ["disposed"] || log.all == ["Object `"])
    }

    @Test func aSubjectCanBeUsedAsAnObserver() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(onNext: { log.add("\($0)") }, onCompleted: { log.add(".") })
        _ = Observable.of(1, 2).subscribe(subject)
        subject.asObserver().onNext(3)
        #expect(log.all == ["1", "2", "."])
    }
}
