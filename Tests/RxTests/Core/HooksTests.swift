import Rx
import Testing

/// The hooks are global, so each test runs in a process of its own.
@Suite struct HooksTests {
    @Test func anUnhandledErrorIsPassedToTheHookWithItsCallStack() async {
        await #expect(processExitsWith: .success) {
            let log = Log<String>()
            Hooks.defaultErrorHandler = { stack, error in log.add("\(stack) \(error)") }
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            precondition(!Hooks.recordCallStackOnError, "Call stacks are off.")
            _ = Observable<Int>.error(TestError.first).subscribe()
            Hooks.recordCallStackOnError = true
            _ = Single<Int>.error(TestError.first).subscribe(onSuccess: { _ in })
            _ = Completable.error(TestError.second).subscribe(onCompleted: {})
            _ = Maybe<Int>.error(TestError.second).subscribe(onSuccess: { _ in })
            _ = Observable<Int>.error(TestError.first).subscribe(onError: { _ in })
            precondition(
                log.all == ["[] first", "[\"here\"] first", "[\"here\"] second", "[\"here\"] second"], "\(log.all)")
        }
    }

    @Test func resourcesIncludeCallsOfIncrementTotal() async {
        await #expect(processExitsWith: .success) {
            let before = Resources.total
            precondition(Resources.incrementTotal() == before + 1, "One more.")
            precondition(Resources.decrementTotal() == before, "One less.")
        }
    }

    @Test func mapObserverTransformsElements() {
        let log = Log<String>()
        let target = AnyObserver<Int> { log.add("\($0)") }
        let source = target.mapObserver { (text: String) throws -> Int in
            guard let number = Int(text) else { throw TestError.first }
            return number
        }
        _ = Observable.of("1", "x", "2").subscribe(source)
        #expect(log.all == ["next(1)", "error(first)", "next(2)", "completed"])
    }
}
