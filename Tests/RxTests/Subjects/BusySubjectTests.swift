import Dispatch
import Rx
import Testing

/// An event that is sent during another thread's event.
///
/// It changes the state of the subject at once, but is delivered only after the other event.
@Suite struct BusySubjectTests {
    /// Runs work while another thread is blocked in a subscriber's element.
    func whileBusy<Stream: ObservableType>(
        _ stream: Stream, feed: @escaping @Sendable () -> Void, _ work: () -> Void
    ) {
        let (inside, release, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let blocked = stream.asObservable().subscribe(onNext: { _ in
            inside.signal()
            release.wait()
        })
        DispatchQueue.global().async {
            feed()
            done.signal()
        }
        inside.wait()
        work()
        // Unblocks the subscriber for each element that the work may have sent.
        for _ in 0..<10 { release.signal() }
        done.wait()
        blocked.dispose()
    }

    @Test func aRelayReturnsTheValueSetByTheSameThread() {
        let relay = BehaviorRelay(value: 0)
        whileBusy(relay.skip(1), feed: { relay.accept(1) }) {
            relay.accept(2)
            #expect(relay.value == 2)
            relay.accept(3)
            #expect(relay.value == 3)
        }
        #expect(relay.value == 3)
    }

    @Test func aSubjectReturnsTheValueSetByTheSameThread() throws {
        let subject = BehaviorSubject(value: 0)
        whileBusy(subject.skip(1), feed: { subject.onNext(1) }) {
            subject.onNext(2)
            #expect((try? subject.value()) == 2)
            subject.onError(TestError.first)
            #expect(throws: TestError.first) { try subject.value() }
        }
    }

    @Test func aDisposedSubjectIsDisposedOfAtOnce() {
        let subject = PublishSubject<Int>()
        whileBusy(subject, feed: { subject.onNext(1) }) {
            subject.dispose()
            #expect(subject.isDisposed)
            #expect(!subject.hasObservers)
        }
    }

    @Test func anEndedSubjectHasNoObservers() {
        let subject = PublishSubject<Int>()
        let ends = Log<Int>()
        whileBusy(subject, feed: { subject.onNext(1) }) {
            subject.onCompleted()
            #expect(!subject.hasObservers)
            _ = subject.subscribe(onCompleted: { ends.add(1) })
        }
        #expect(ends.count == 1)
    }
}
