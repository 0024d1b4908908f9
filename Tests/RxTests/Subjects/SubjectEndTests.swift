import Rx
import Testing

/// All current subscribers receive the end of a subject, even if some unsubscribe during the end.
@Suite struct SubjectEndTests {
    @Test(arguments: [.completed, .error(TestError.first)] as [Event<Int>])
    func disposalDuringTheEndDoesNotHideOtherSubscribers(_ end: Event<Int>) {
        let subject = PublishSubject<Int>()
        let (next, log) = (CompositeDisposable(), Log<String>())
        _ = subject.subscribe { if $0.isStopEvent { next.dispose() } }
        _ = next.insert(subject.subscribe { log.add("b \($0)") })
        _ = subject.subscribe { log.add("c \($0)") }
        _ = next.insert(subject.subscribe { log.add("d \($0)") })
        _ = subject.subscribe { log.add("e \($0)") }
        subject.onNext(1)
        subject.on(end)
        #expect(log.all == ["b next(1)", "c next(1)", "d next(1)", "e next(1)", "c \(end)", "e \(end)"])
    }
}
