import Dispatch
import Rx
import Testing

/// While the subscription to one source blocks, elements of other sources are forwarded on any thread.
@Suite struct BlockingSubscriptionTests {
    /// Returns a source that blocks at subscription until the subject's element has been received.
    ///
    /// Another thread sends this element to the subject. `verdict` records whether it was received.
    func stubborn(_ subject: PublishSubject<Int>, _ heard: DispatchSemaphore, _ verdict: Log<Bool>) -> Observable<Int> {
        Observable.create { observer in
            DispatchQueue.global().async { subject.onNext(1) }
            verdict.add(heard.wait(timeout: .now() + 120) == .success)
            observer.onCompleted()
            return Disposables.create()
        }
    }

    static let operators: [(String, @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>)] = [
        ("merge", { Observable.merge($0, $1) }),
        ("flatMap", { one, two in Observable.of(0, 1).flatMap { $0 == 0 ? one : two } }),
        ("amb", { $0.amb($1) }),
    ]

    @Test(arguments: [0, 1, 2])
    func aBlockingSubscriptionDoesNotDelayOtherStreams(_ index: Int) {
        let subject = PublishSubject<Int>()
        let heard = DispatchSemaphore(value: 0)
        let verdict = Log<Bool>()
        let (name, make) = Self.operators[index]
        let subscription = make(subject.asObservable(), stubborn(subject, heard, verdict))
            .subscribe(onNext: { _ in heard.signal() })
        #expect(verdict.all == [true], "\(name)")
        subscription.dispose()
    }
}
