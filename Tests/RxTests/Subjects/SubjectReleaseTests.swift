import Rx
import Testing

/// A subject that goes takes its direct subscribers with it, even where nobody kept their disposable.
@Suite struct SubjectGoesTests {
    @Test func aSubjectThatGoesLeavesNothing() async {
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
