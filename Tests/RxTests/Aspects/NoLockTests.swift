import Dispatch
import Rx
import RxTest
import Testing

/// No user code runs under a lock: while an element is handled, other threads can use the same stream.
@Suite struct NoLockTests {
    /// Runs work on another thread, and records an issue if the work does not end.
    static func elsewhere(_ name: String, _ work: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            work()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 120) == .success, "\(name) waits for the element.")
    }

    @Test(arguments: SharingStressTests.Subject.all)
    func subjectsHoldNoLockDuringAnElement(_ kind: SharingStressTests.Subject) {
        let (feed, stream) = kind.make()
        let received = Log<Int>()
        let holder = Holder()
        let first = Flag()
        holder.hold(
            stream.subscribe(onNext: { value in
                received.add(value)
                if first.isRaised { return }
                first.raise()
                Self.elsewhere("a second subscription") { stream.subscribe(onNext: { _ in }).dispose() }
                Self.elsewhere("an element") { feed(.next(100)) }
                Self.elsewhere("disposal") { holder.drop() }
                Self.elsewhere("the end") { feed(.completed) }
            }))
        feed(.next(1))
        feed(.completed)
        // A BehaviorSubject emits its stored element before `subscribe` returns, so the test cannot prevent that
        // element.
        #expect(received.count == (kind.testDescription == "BehaviorSubject" ? 2 : 1))
    }

    @Test(arguments: Sharing.allCases)
    func sharedStreamsHoldNoLockDuringAnElement(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let shared = sharing.share(subject.asObservable())
        let received = Log<Int>()
        let holder = Holder()
        holder.hold(
            shared.subscribe(onNext: { value in
                received.add(value)
                Self.elsewhere("a second subscription") { shared.subscribe(onNext: { _ in }).dispose() }
                Self.elsewhere("an element") { subject.onNext(100) }
                Self.elsewhere("disposal") { holder.drop() }
                Self.elsewhere("the end") { subject.onCompleted() }
            }))
        subject.onNext(1)
        #expect(received.all == [1])
        #expect(!subject.hasObservers)
    }

    /// The closures of operators are user code too, so they must not run under a lock.
    @Test func closuresOfOperatorsRunWithoutALock() {
        let subject = PublishSubject<Int>()
        let holder = Holder()
        let calls = Log<String>()
        let stream = subject.map { value in
            Self.elsewhere("map") { subject.subscribe().dispose() }
            calls.add("map")
            return value
        }.flatMapLatest { value in
            Self.elsewhere("flatMapLatest") { subject.onNext(5) }
            calls.add("flatMapLatest")
            return Observable.just(value)
        }.do(onDispose: {
            Self.elsewhere("do") { holder.drop() }
            calls.add("do")
        })
        holder.hold(stream.take(1).subscribe())
        subject.onNext(1)
        #expect(calls.all == ["map", "flatMapLatest", "do"])
    }
}
