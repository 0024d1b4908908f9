import Dispatch
import Rx
import RxTest
import Testing

/// Nothing is called out to under a lock: inside an element another thread may do whatever it likes with the same stream,
/// and none of it waits for the element.
@Suite struct NoLockTests {
    /// Does the work on another thread, and fails if it takes for ever.
    static func elsewhere(_ name: String, _ work: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            work()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 120) == .success, "\(name) waits for the element.")
    }

    @Test(arguments: SharingStressTests.Subject.all)
    func subjects(_ kind: SharingStressTests.Subject) {
        let (feed, stream) = kind.make()
        let heard = Log<Int>()
        let holder = Holder()
        let first = Flag()
        holder.hold(
            stream.subscribe(onNext: { value in
                heard.add(value)
                if first.isRaised { return }
                first.raise()
                Self.elsewhere("a second subscription") { stream.subscribe(onNext: { _ in }).dispose() }
                Self.elsewhere("an element") { feed(.next(100)) }
                Self.elsewhere("disposal") { holder.drop() }
                Self.elsewhere("the end") { feed(.completed) }
            }))
        feed(.next(1))
        feed(.completed)
        // What comes before `subscribe` returned cannot be stopped by its result.
        #expect(heard.count == (kind.testDescription == "BehaviorSubject" ? 2 : 1))
    }

    @Test(arguments: Sharing.allCases)
    func sharedStreams(_ sharing: Sharing) {
        let subject = PublishSubject<Int>()
        let shared = sharing.share(subject.asObservable())
        let heard = Log<Int>()
        let holder = Holder()
        holder.hold(
            shared.subscribe(onNext: { value in
                heard.add(value)
                Self.elsewhere("a second subscription") { shared.subscribe(onNext: { _ in }).dispose() }
                Self.elsewhere("an element") { subject.onNext(100) }
                Self.elsewhere("disposal") { holder.drop() }
                Self.elsewhere("the end") { subject.onCompleted() }
            }))
        subject.onNext(1)
        #expect(heard.all == [1])
        #expect(!subject.hasObservers)
    }

    /// Closures of operators are call-outs too.
    @Test func closures() {
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
