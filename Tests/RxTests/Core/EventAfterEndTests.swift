import Rx
import Testing

/// Events after the end are ignored, and reported to a hook in a debug build.
///
/// The test runs in a process of its own, because the hook is global.
@Suite struct EventAfterEndTests {
    @Test func anEventAfterTheEndIsReportedAndIgnored() async {
        await #expect(processExitsWith: .success) {
            let explained = Log<String>()
            let received = Log<String>()
            Hooks.grammarViolationHandler = { explained.add($0) }
            _ = Observable<Int>.create { observer in
                observer.onNext(1)
                observer.onCompleted()
                observer.onNext(2)
                observer.onCompleted()
                observer.onError(RxError.unknown)
                return Disposables.create()
            }
            .subscribe { received.add("\($0)") }
            precondition(received.all == ["next(1)", "completed"], "received \(received.all)")
            #if DEBUG
                precondition(
                    explained.all
                        == ["an element", "a completion", "an error"].map {
                            "The observer of `create` ignored \($0) after its end; "
                                + "send nothing after an error or a completion."
                        }, "explained \(explained.all)")
            #else
                precondition(explained.all.isEmpty)
            #endif
        }
    }
}
