import Rx
import Testing

/// When a subject is released, it releases its subscribers, even if their disposables were not stored.
@Suite struct SubjectReleaseTests {
    @Test func aReleasedSubjectDoesNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            LeakTests.expectBalance("a subject that goes before its subscribers") {
                let subject = PublishSubject<Int>()
                _ = subject.subscribe(onNext: { _ in })
                subject.onNext(1)
                _ = subject.subscribe(onNext: { _ in })
            }
        }
        LeakTests.expectNoComplaint(in: result)
    }
}
