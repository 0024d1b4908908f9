import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

private final class Resource: Disposable {
    private let end: () -> Void
    init(_ end: @escaping () -> Void) { self.end = end }
    func dispose() { end() }
}

/// The order in which the operators of a chain subscribe, end and are disposed of.
final class SubscriptionOrderTests: XCTestCase {
    private var log: [String] = []

    private func source(_ name: String, _ body: @escaping (AnyObserver<Int>) -> Void = { _ in }) -> Observable<Int> {
        Observable.create { observer in
            self.log.append("\(name) subscribe")
            body(observer)
            self.log.append("\(name) subscribed")
            return Disposables.create { self.log.append("\(name) dispose") }
        }
    }

    private func listen(_ stream: Observable<Int>) -> Disposable {
        stream.subscribe(
            onNext: { self.log.append("onNext \($0)") }, onError: { self.log.append("onError \($0)") },
            onCompleted: { self.log.append("onCompleted") }, onDisposed: { self.log.append("onDisposed") })
    }

    func testCompletionLater() {
        let subject = PublishSubject<Int>()
        let chain = Observable<Int>.create { observer in
            let inner = subject.subscribe(observer)
            return Disposables.create {
                inner.dispose()
                self.log.append("source dispose")
            }
        }
        _ = listen(chain.map { $0 + 1 }.filter { _ in true })
        subject.onNext(1)
        subject.onCompleted()
        XCTAssertEqual(log, ["onNext 2", "onCompleted", "onDisposed", "source dispose"])
    }

    func testErrorLater() {
        let subject = PublishSubject<Int>()
        let chain = Observable<Int>.create { observer in
            let inner = subject.subscribe(observer)
            return Disposables.create {
                inner.dispose()
                self.log.append("source dispose")
            }
        }
        _ = listen(chain.map { $0 + 1 })
        subject.onError(TestError.one)
        XCTAssertEqual(log, ["onError one", "onDisposed", "source dispose"])
    }

    func testDispose() {
        let subscription = listen(source("a").map { $0 })
        subscription.dispose()
        subscription.dispose()
        XCTAssertEqual(log, ["a subscribe", "a subscribed", "a dispose", "onDisposed"])
    }

    func testCompletionWhileSubscribing() {
        _ = listen(
            source("a") {
                $0.onNext(1)
                $0.onCompleted()
                $0.onNext(2)
                $0.onError(TestError.one)
            })
        XCTAssertEqual(log, ["a subscribe", "onNext 1", "onCompleted", "onDisposed", "a subscribed", "a dispose"])
    }

    func testDisposeInsideOnNext() {
        let subject = PublishSubject<Int>()
        let slot = SingleAssignmentDisposable()
        slot.setDisposable(
            subject.subscribe(
                onNext: { value in
                    self.log.append("onNext \(value)")
                    if value == 2 { slot.dispose() }
                    self.log.append("after \(value)")
                }, onDisposed: { self.log.append("onDisposed") }))
        [1, 2, 3].forEach(subject.onNext)
        XCTAssertEqual(log, ["onNext 1", "after 1", "onNext 2", "onDisposed", "after 2"])
        XCTAssertFalse(subject.hasObservers)
    }

    func testDoHooksOfASourceThatEndsWhileSubscribing() {
        let stream = source("a") {
            $0.onNext(1)
            $0.onCompleted()
        }
        .do(
            onNext: { self.log.append("do onNext \($0)") }, afterNext: { self.log.append("do afterNext \($0)") },
            onCompleted: { self.log.append("do onCompleted") },
            afterCompleted: { self.log.append("do afterCompleted") },
            onSubscribe: { self.log.append("do onSubscribe") }, onSubscribed: { self.log.append("do onSubscribed") },
            onDispose: { self.log.append("do onDispose") })
        _ = listen(stream)
        XCTAssertEqual(
            log,
            [
                "do onSubscribe", "a subscribe", "do onNext 1", "onNext 1", "do afterNext 1", "do onCompleted",
                "onCompleted", "onDisposed", "do afterCompleted", "a subscribed", "a dispose", "do onSubscribed",
                "do onDispose",
            ])
    }

    func testDoHooksOfAnErrorLater() {
        let subject = PublishSubject<Int>()
        let stream = subject.do(
            onError: { self.log.append("do onError \($0)") }, afterError: { self.log.append("do afterError \($0)") },
            onSubscribe: { self.log.append("do onSubscribe") }, onSubscribed: { self.log.append("do onSubscribed") },
            onDispose: { self.log.append("do onDispose") })
        _ = listen(stream)
        subject.onError(TestError.one)
        XCTAssertEqual(
            log,
            [
                "do onSubscribe", "do onSubscribed", "do onError one", "onError one", "onDisposed", "do afterError one",
                "do onDispose",
            ])
    }

    func testDoHooksNestAndDisposeFromTheSource() {
        let stream = source("a")
            .do(onSubscribe: { self.log.append("1 sub") }, onDispose: { self.log.append("1 disp") })
            .do(onSubscribe: { self.log.append("2 sub") }, onDispose: { self.log.append("2 disp") })
        listen(stream).dispose()
        XCTAssertEqual(
            log, ["2 sub", "1 sub", "a subscribe", "a subscribed", "a dispose", "1 disp", "2 disp", "onDisposed"])
    }

    func testDoDisposeNestsAtTheEndToo() {
        let subject = PublishSubject<Int>()
        let stream = subject.do(onDispose: { self.log.append("1 disp") }).do(onDispose: { self.log.append("2 disp") })
        _ = listen(stream)
        subject.onCompleted()
        XCTAssertEqual(log, ["onCompleted", "onDisposed", "1 disp", "2 disp"])
    }

    func testAThrowingHookIsAnError() {
        let subject = PublishSubject<Int>()
        _ = listen(subject.do(onNext: { if $0 == 2 { throw TestError.two } }))
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log, ["onNext 1", "onError two", "onDisposed"])
        XCTAssertFalse(subject.hasObservers)
    }

    func testAThrowingAfterHookIsAnErrorAfterTheElement() {
        let subject = PublishSubject<Int>()
        _ = listen(subject.do(afterNext: { _ in throw TestError.two }))
        subject.onNext(1)
        XCTAssertEqual(log, ["onNext 1", "onError two", "onDisposed"])
    }

    func testConcatSubscribesToTheSecondAfterTheFirstWasLeft() {
        let first = source("a") { $0.onCompleted() }
        let second = source("b") { $0.onCompleted() }
        _ = listen(first.concat(second))
        XCTAssertEqual(
            log,
            [
                "a subscribe", "a subscribed", "a dispose", "b subscribe", "b subscribed", "b dispose", "onCompleted",
                "onDisposed",
            ])
    }

    func testFlatMapLatestLeavesTheOldBeforeTheNew() {
        let subject = PublishSubject<String>()
        let subscription = listen(subject.flatMapLatest { self.source($0) })
        subject.onNext("a")
        subject.onNext("b")
        subscription.dispose()
        XCTAssertEqual(
            log,
            [
                "a subscribe", "a subscribed", "a dispose", "b subscribe", "b subscribed", "b dispose", "onDisposed",
            ])
    }

    func testTakeCompletesInsideTheElement() {
        let subject = PublishSubject<Int>()
        _ = listen(
            subject.do(onNext: { self.log.append("up \($0)") }, afterNext: { self.log.append("up after \($0)") })
                .take(1))
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log, ["up 1", "onNext 1", "onCompleted", "onDisposed", "up after 1"])
    }

    func testUsingGivesTheResourceUpAfterTheEnd() {
        let subject = PublishSubject<Int>()
        let stream = Observable.using(
            { Resource { self.log.append("resource dispose") } }, observableFactory: { _ in subject.asObservable() })
        _ = listen(stream)
        subject.onCompleted()
        XCTAssertEqual(log, ["onCompleted", "onDisposed", "resource dispose"])
    }
}
