import Rx
import Testing

/// What comes after the end is ignored, and explained in a debug build. In a process of its own: the hook is global.
@Suite struct EventAfterEndTests {
    @Test func anEventAfterTheEndIsExplained() async {
        await #expect(processExitsWith: .success) {
            let explained = Log<String>()
            let heard = Log<String>()
            Hooks.grammarViolationHandler = { explained.add($0) }
            _ = Observable<Int>.create { observer in
                observer.onNext(1)
                observer.onCompleted()
                observer.onNext(2)
                observer.onCompleted()
                observer.onError(RxError.unknown)
                return Disposables.create()
            }
            .subscribe { heard.add("\($0)") }
            precondition(heard.all == ["next(1)", "completed"], "heard \(heard.all)")
            #if DEBUG
                precondition(
                    explained.all
                        == ["an element", "a completion", "an error"].map {
                            "The observer of `create` was sent \($0) after its end, and ignored it; "
                                + "nothing may follow an error or a completion."
                        }, "explained \(explained.all)")
            #else
                precondition(explained.all.isEmpty)
            #endif
        }
    }
}
