import Dispatch
import Rx
import RxTest
import Testing

@Suite struct DoTests {
    let log = Log<String>()

    /// Returns a stream with all closures of `do`. Each closure records its name.
    func noted(_ source: Observable<Int>, _ name: String = "do") -> Observable<Int> {
        let log = log
        return source.do(
            onNext: { _ in log.add("\(name) next") }, afterNext: { _ in log.add("\(name) after next") },
            onError: { _ in log.add("\(name) error") },
            afterError: { _ in log.add("\(name) after error") },
            onCompleted: { log.add("\(name) completed") },
            afterCompleted: { log.add("\(name) after completed") },
            onSubscribe: { log.add("\(name) subscribe") },
            onSubscribed: { log.add("\(name) subscribed") },
            onDispose: { log.add("\(name) disposed") })
    }

    func listen(_ stream: Observable<Int>) -> any Disposable {
        let log = log
        return stream.subscribe(
            onNext: { _ in log.add("next") }, onError: { _ in log.add("error") },
            onCompleted: { log.add("completed") }, onDisposed: { log.add("disposed") })
    }

    @Test func closuresAreCalledInOrderForAStreamThatEndsAtOnce() {
        let log = log
        let source = Observable<Int>.create { observer in
            log.add("source")
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.add("source disposed") }
        }
        _ = listen(noted(source))
        #expect(
            log.all == [
                "do subscribe", "source", "do next", "next", "do after next", "do completed", "completed",
                "disposed",
                "do after completed", "source disposed", "do subscribed", "do disposed",
            ])
    }

    @Test(arguments: [true, false])
    func closuresAreCalledInOrderForAStreamThatEndsLater(_ completes: Bool) {
        let log = log
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            let inner = subject.subscribe(observer)
            return Disposables.create {
                inner.dispose()
                log.add("source disposed")
            }
        }
        _ = listen(noted(source))
        subject.onNext(1)
        if completes { subject.onCompleted() } else { subject.onError(TestError.first) }
        let end = completes ? "completed" : "error"
        #expect(
            log.all == [
                "do subscribe", "do subscribed", "do next", "next", "do after next", "do \(end)", end,
                "disposed",
                "do after \(end)", "source disposed", "do disposed",
            ])
    }

    @Test func closuresAreCalledInOrderAtDisposal() {
        let log = log
        let source = Observable<Int>.create { _ in Disposables.create { log.add("source disposed") } }
        let subscription = listen(noted(noted(source, "inner"), "outer"))
        subscription.dispose()
        subscription.dispose()
        #expect(
            log.all == [
                "outer subscribe", "inner subscribe", "inner subscribed", "outer subscribed",
                "source disposed",
                "inner disposed", "outer disposed", "disposed",
            ])
    }

    @Test func disposalInsideAnElementPrecedesAfterNext() {
        let subject = PublishSubject<Int>()
        _ = listen(noted(subject.asObservable()).take(1))
        subject.onNext(1)
        #expect(
            log.all == [
                "do subscribe", "do subscribed", "do next", "next", "completed", "disposed", "do disposed",
                "do after next",
            ])
    }

    @Test func aThrowingOnNextFailsTheStream() {
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.do(onNext: { if $0 == 2 { throw TestError.second } })
        }
    }

    @Test func aThrowingAfterNextFailsTheStream() {
        check(
            usual, gives: [.next(210, 1), .next(220, 2), .error(220, TestError.second)], lives: (200, 220)
        ) {
            stream, _ in stream.do(afterNext: { if $0 == 2 { throw TestError.second } })
        }
    }

    @Test func errorsOfClosuresBeforeTheEndReplaceIt() {
        check(
            [.completed(220)] as [RecordedEvent<Int>], gives: [.error(220, TestError.second)], lives: (200, 220)
        ) {
            stream, _ in stream.do(onCompleted: { throw TestError.second })
        }
        check(
            failing, gives: [.next(210, 1), .next(220, 2), .error(225, TestError.second)],
            lives: (200, 225)
        ) {
            stream, _ in stream.do(onError: { _ in throw TestError.second })
        }
    }

    @Test func errorsOfClosuresAfterTheEndAreIgnored() {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in
            stream.do(afterCompleted: { throw TestError.second })
        }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, _ in
            stream.do(afterError: { _ in throw TestError.second })
        }
    }
}
