import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

/// `share` with each replay count and scope, when subscribers leave and when the source ends.
final class ShareSemanticsTests: XCTestCase {
    private let bag = DisposeBag()

    /// A source that counts its subscriptions, and that a test can end.
    private class Origin {
        var subscriptions = 0
        var disposals = 0
        var observer: AnyObserver<Int>!

        lazy var stream = Observable<Int>.create { observer in
            self.subscriptions += 1
            self.observer = observer
            return Disposables.create { self.disposals += 1 }
        }
    }

    private func record(_ stream: Observable<Int>) -> (Disposable, () -> [Event<Int>]) {
        var events: [Event<Int>] = []
        let subscription = stream.subscribe { events.append($0) }
        return (subscription, { events })
    }

    private func checkLeaving(_ replay: Int, _ scope: SubjectLifetimeScope, late: [Event<Int>], line: UInt = #line) {
        let origin = Origin()
        let shared = origin.stream.share(replay: replay, scope: scope)
        let (first, _) = record(shared)
        origin.observer.onNext(1)
        origin.observer.onNext(2)
        let (second, heard) = record(shared)
        XCTAssertEqual(heard(), replay == 0 ? [] : replay == 1 ? [.next(2)] : [.next(1), .next(2)], line: line)
        XCTAssertEqual(origin.subscriptions, 1, line: line)
        first.dispose()
        XCTAssertEqual(origin.disposals, 0, line: line)
        second.dispose()
        XCTAssertEqual(origin.disposals, 1, line: line)
        let (third, again) = record(shared)
        XCTAssertEqual(origin.subscriptions, 2, line: line)
        XCTAssertEqual(again(), late, line: line)
        third.dispose()
    }

    func testWhenEverybodyLeft() {
        checkLeaving(0, .whileConnected, late: [])
        checkLeaving(1, .whileConnected, late: [])
        checkLeaving(2, .whileConnected, late: [])
        checkLeaving(0, .forever, late: [])
        checkLeaving(1, .forever, late: [.next(2)])
        checkLeaving(2, .forever, late: [.next(1), .next(2)])
    }

    private func checkEnd(
        _ end: Event<Int>, _ replay: Int, _ scope: SubjectLifetimeScope, subscriptions: Int, late: [Event<Int>],
        line: UInt = #line
    ) {
        let origin = Origin()
        let shared = origin.stream.share(replay: replay, scope: scope)
        let (_, heard) = record(shared)
        origin.observer.onNext(1)
        origin.observer.onNext(2)
        origin.observer.on(end)
        XCTAssertEqual(heard(), [.next(1), .next(2), end], line: line)
        XCTAssertEqual(origin.disposals, 1, line: line)
        let (_, again) = record(shared)
        XCTAssertEqual(again(), late, line: line)
        XCTAssertEqual(origin.subscriptions, subscriptions, line: line)
    }

    func testAfterTheEnd() {
        for end in [Event<Int>.completed, .error(TestError.one)] {
            checkEnd(end, 0, .whileConnected, subscriptions: 2, late: [])
            checkEnd(end, 1, .whileConnected, subscriptions: 2, late: [])
            checkEnd(end, 2, .whileConnected, subscriptions: 2, late: [])
            checkEnd(end, 0, .forever, subscriptions: 1, late: [end])
            checkEnd(end, 1, .forever, subscriptions: 1, late: [.next(2), end])
            checkEnd(end, 2, .forever, subscriptions: 1, late: [.next(1), .next(2), end])
        }
    }

    func testASourceThatEndsWhileSubscribing() {
        var made = 0
        let source = Observable<Int>.deferred {
            made += 1
            return .of(1, 2)
        }
        for replay in 0...2 {
            made = 0
            let shared = source.share(replay: replay)
            XCTAssertEqual(record(shared).1(), [.next(1), .next(2), .completed])
            XCTAssertEqual(record(shared).1(), [.next(1), .next(2), .completed])
            XCTAssertEqual(made, 2)
        }
    }

    func testRetryOfASharedStreamStartsAnew() {
        let origin = Origin()
        let shared = origin.stream.share(replay: 1)
        let (_, heard) = record(shared.retry(2))
        origin.observer.onNext(1)
        origin.observer.onError(TestError.one)
        XCTAssertEqual(origin.subscriptions, 2)
        origin.observer.onNext(2)
        origin.observer.onError(TestError.one)
        XCTAssertEqual(heard(), [.next(1), .next(2), .error(TestError.one)])
    }

    func testShareIsSubscribedAgainFromItsOwnEnd() {
        let origin = Origin()
        let shared = origin.stream.share()
        var events: [Int] = []
        shared.subscribe(onCompleted: {
            shared.subscribe(onNext: { events.append($0) }).disposed(by: self.bag)
        }).disposed(by: bag)
        origin.observer.onCompleted()
        XCTAssertEqual(origin.subscriptions, 2)
        origin.observer.onNext(1)
        XCTAssertEqual(events, [1])
    }

    // MARK: Connectable streams

    func testConnectingTwiceIsOneConnection() {
        let origin = Origin()
        let published = origin.stream.publish()
        let (_, heard) = record(published)
        let first = published.connect()
        let second = published.connect()
        XCTAssertEqual(origin.subscriptions, 1)
        origin.observer.onNext(1)
        second.dispose()
        XCTAssertEqual(origin.disposals, 1)
        first.dispose()
        XCTAssertEqual(origin.disposals, 1)
        origin.observer.onNext(2)
        XCTAssertEqual(heard(), [.next(1)])
    }

    func testConnectingAgainAfterTheEndStartsAnew() {
        let origin = Origin()
        let published = origin.stream.publish()
        let (_, first) = record(published)
        _ = published.connect()
        origin.observer.onNext(1)
        origin.observer.onCompleted()
        let (_, second) = record(published)
        XCTAssertEqual(second(), [])
        _ = published.connect()
        origin.observer.onNext(2)
        XCTAssertEqual(first(), [.next(1), .completed])
        XCTAssertEqual(second(), [.next(2)])
        XCTAssertEqual(origin.subscriptions, 2)
    }

    func testReplayIsForgottenWithTheConnection() {
        let origin = Origin()
        let replayed = origin.stream.replay(2)
        let connection = replayed.connect()
        (1...3).forEach { origin.observer.onNext($0) }
        XCTAssertEqual(record(replayed).1(), [.next(2), .next(3)])
        connection.dispose()
        XCTAssertEqual(record(replayed).1(), [])
        _ = replayed.connect()
        origin.observer.onNext(4)
        XCTAssertEqual(record(replayed).1(), [.next(4)])
    }

    func testMulticastToOneSubjectStaysEnded() {
        let origin = Origin()
        let subject = ReplaySubject<Int>.createUnbounded()
        let connectable = origin.stream.multicast(subject)
        _ = connectable.connect()
        origin.observer.onNext(1)
        origin.observer.onCompleted()
        XCTAssertEqual(record(connectable).1(), [.next(1), .completed])
    }

    func testRefCountAfterTheEnd() {
        let origin = Origin()
        let counted = origin.stream.publish().refCount()
        let (_, first) = record(counted)
        origin.observer.onNext(1)
        origin.observer.onCompleted()
        let (subscription, second) = record(counted)
        XCTAssertEqual(origin.subscriptions, 2)
        origin.observer.onNext(2)
        subscription.dispose()
        XCTAssertEqual(origin.disposals, 2)
        XCTAssertEqual(first(), [.next(1), .completed])
        XCTAssertEqual(second(), [.next(2)])
    }

    func testReplayAllWithRefCount() {
        let origin = Origin()
        let counted = origin.stream.replayAll().refCount()
        let (first, _) = record(counted)
        (1...3).forEach { origin.observer.onNext($0) }
        let (second, heard) = record(counted)
        XCTAssertEqual(heard(), [.next(1), .next(2), .next(3)])
        first.dispose()
        second.dispose()
        XCTAssertEqual(record(counted).1(), [])
        XCTAssertEqual(origin.subscriptions, 2)
    }
}
