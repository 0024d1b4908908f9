import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

final class HooksTests: XCTestCase {
    func testUnhandledErrorsGoToTheHook() {
        var errors: [Error] = []
        let before = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { _, error in errors.append(error) }
        defer { Hooks.defaultErrorHandler = before }

        _ = Observable<Int>.error(TestError.one).subscribe()
        _ = Observable<Int>.error(TestError.one).subscribe(onNext: { _ in })
        _ = Single<Int>.error(TestError.one).subscribe(onSuccess: { _ in })
        _ = Maybe<Int>.error(TestError.one).subscribe(onSuccess: { _ in })
        _ = Completable.error(TestError.one).subscribe(onCompleted: {})
        XCTAssertEqual(errors.count, 5)
        _ = Observable<Int>.error(TestError.one).subscribe(onError: { _ in })
        _ = Observable<Int>.error(TestError.one).subscribe { _ in }
        XCTAssertEqual(errors.count, 5)
    }

    #if DEBUG
        func testResourcesComeAndGo() {
            let before = Resources.total
            scoped {
                let subject = PublishSubject<Int>()
                let bag = DisposeBag()
                subject.map { $0 + 1 }.flatMap { Observable.of($0) }.share(replay: 1).subscribe().disposed(by: bag)
                subject.onNext(1)
                XCTAssertGreaterThan(Resources.total, before)
            }
            XCTAssertEqual(Resources.total, before)
        }

        private func scoped(_ work: () -> Void) { work() }
    #endif

    func testCallStacks() {
        Hooks.recordCallStackOnError = false
        Hooks.customCaptureSubscriptionCallstack = { [] }
        XCTAssertFalse(Hooks.recordCallStackOnError)
    }
}
