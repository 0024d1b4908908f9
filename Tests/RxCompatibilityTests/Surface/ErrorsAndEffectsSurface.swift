import Foundation
import Rx
import RxTest
import XCTest

private struct OwnError: Swift.Error, Equatable { let code: Int }

final class ErrorsAndEffectsSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    func testCatching() {
        let failing = Observable.of(1).concat(Observable.error(OwnError(code: 2)))
        XCTAssertEqual(all(failing.catchAndReturn(9)), [1, 9])
        XCTAssertEqual(
            all(failing.catch { (error: Swift.Error) throws -> Observable<Int> in .just((error as! OwnError).code) }),
            [1, 2])
        XCTAssertEqual(all(Observable.catch(sequence: [failing, failing, Observable.just(3)])), [1, 1, 3])
        let rethrown = failing.catch { _ in throw testError }
        XCTAssertThrowsError(try rethrown.toBlocking().toArray()) { XCTAssertErrorEqual($0, testError) }
    }

    func testRetrying() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createColdObservable([.next(5, 1), .error(10, OwnError(code: 1))])
        let res = scheduler.start { xs.retry(3) }
        XCTAssertEqual(
            res.events, [.next(205, 1), .next(215, 1), .next(225, 1), .error(230, OwnError(code: 1))])
        XCTAssertEqual(xs.subscriptions, [Subscription(200, 210), Subscription(210, 220), Subscription(220, 230)])
        let second = TestScheduler(initialClock: 0)
        let ys = second.createColdObservable([.next(5, 1), .error(10, OwnError(code: 1))])
        XCTAssertEqual(
            second.start(disposed: 222) { ys.retry() }.events, [.next(205, 1), .next(215, 1)])
        XCTAssertEqual(ys.subscriptions, [Subscription(200, 210), Subscription(210, 220), Subscription(220, 222)])
        let third = TestScheduler(initialClock: 0)
        let zs = third.createColdObservable([.next(5, 1), .error(10, OwnError(code: 1))])
        let when = third.start(disposed: 300) {
            zs.retry(when: { (errors: Observable<OwnError>) in
                errors.enumerated().flatMap { (attempt, error) -> Observable<Int> in
                    attempt == 1 ? .error(error) : .timer(.seconds(20), scheduler: third)
                }
            })
        }
        XCTAssertEqual(when.events, [.next(205, 1), .next(235, 1), .error(240, OwnError(code: 1))])
        XCTAssertEqual(zs.subscriptions, [Subscription(200, 210), Subscription(230, 240)])
        let any = Observable<Int>.error(testError).retry { (errors: Observable<Swift.Error>) in errors.take(2) }
        XCTAssertEqual(all(any), [])
    }

    func testAllHooksOfDo() {
        var log: [String] = []
        let xs = Observable.of(1).do(
            onNext: { (x: Int) throws -> Void in log.append("next \(x)") }, afterNext: { log.append("after \($0)") },
            onError: { (_: Swift.Error) throws -> Void in }, afterError: { _ in },
            onCompleted: { log.append("completed") }, afterCompleted: { log.append("after completed") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") })
        _ = xs.subscribe { log.append("\($0)") }
        XCTAssertEqual(
            log,
            [
                "subscribe", "subscribed", "next 1", "next(1)", "after 1", "completed", "completed", "after completed",
                "dispose",
            ])
        let failing = Observable<Int>.error(testError).do(
            onError: { _ in log.append("error") }, afterError: { _ in log.append("after error") })
        log = []
        _ = failing.subscribe(onError: { _ in log.append("heard") })
        XCTAssertEqual(log, ["error", "heard", "after error"])
    }

    func testEmptiness() {
        XCTAssertEqual(all(Observable<Int>.empty().ifEmpty(default: 1)), [1])
        XCTAssertEqual(all(Observable<Int>.empty().ifEmpty(switchTo: Observable.of(2, 3))), [2, 3])
        XCTAssertEqual(all(Observable.of(5).ifEmpty(default: 1)), [5])
    }

    func testDebuggingAndSchedulers() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        let observed = scheduler.createObserver(Int.self)
        let subscribed = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = xs.observe(on: scheduler).subscribe(observed)
            _ = xs.subscribe(on: scheduler).subscribe(subscribed)
        }
        scheduler.start()
        XCTAssertEqual(observed.events, [.next(211, 1), .completed(221)])
        XCTAssertEqual(subscribed.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(xs.subscriptions, [Subscription(200, 220), Subscription(201, 221)])
        XCTAssertEqual(all(Observable.of(1).debug()), [1])
        XCTAssertEqual(all(Observable.of(1).debug("name")), [1])
        XCTAssertEqual(all(Observable.of(1).debug("name", trimOutput: true)), [1])
        XCTAssertEqual(
            all(Observable.of(1).debug("n", trimOutput: false, file: #file, line: #line, function: #function)), [1])
    }

    func testSharing() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .next(350, 3), .completed(400)])
        let published: ConnectableObservable<Int> = xs.publish()
        let replayed: ConnectableObservable<Int> = xs.replay(1)
        let everything: ConnectableObservable<Int> = xs.replayAll()
        let multicast: ConnectableObservable<Int> = xs.multicast(PublishSubject<Int>())
        let made: ConnectableObservable<Int> = xs.multicast(makeSubject: { ReplaySubject<Int>.create(bufferSize: 1) })
        let doubled: Observable<Int> = xs.multicast({ PublishSubject<Int>() }) { (shared: Observable<Int>) in
            Observable.zip(shared, shared) { $0 + $1 }
        }
        let connectables = [published, replayed, everything, multicast, made]
        let observers = connectables.map { _ in scheduler.createObserver(Int.self) }
        var connections: [Disposable] = []
        scheduler.scheduleAt(200) { connections = connectables.map { $0.connect() } }
        scheduler.scheduleAt(300) {
            for (connectable, observer) in zip(connectables, observers) { _ = connectable.subscribe(observer) }
        }
        scheduler.scheduleAt(380) { connections.forEach { $0.dispose() } }
        let sum = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) { _ = doubled.subscribe(sum) }
        scheduler.start()
        XCTAssertEqual(observers[0].events, [.next(350, 3)])
        XCTAssertEqual(observers[1].events, [.next(300, 2), .next(350, 3)])
        XCTAssertEqual(observers[2].events, [.next(300, 1), .next(300, 2), .next(350, 3)])
        XCTAssertEqual(observers[3].events, [.next(350, 3)])
        XCTAssertEqual(observers[4].events, [.next(300, 2), .next(350, 3)])
        XCTAssertEqual(sum.events, [.next(210, 2), .next(250, 4), .next(350, 6), .completed(400)])
        XCTAssertEqual(xs.subscriptions.map { $0.unsubscribe }, [380, 380, 380, 380, 380, 400])
    }

    func testShareScopes() {
        var subscriptions = 0
        let xs = Observable<Int>.create { observer in
            subscriptions += 1
            observer.onNext(subscriptions)
            return Disposables.create()
        }
        let whileConnected: [Observable<Int>] = [
            xs.share(), xs.share(replay: 1), xs.share(replay: 1, scope: .whileConnected),
            xs.share(scope: .whileConnected),
        ]
        for shared in whileConnected {
            subscriptions = 0
            for _ in 0..<2 { shared.subscribe().dispose() }
            XCTAssertEqual(subscriptions, 2)
        }
        let refCounted: Observable<Int> = xs.publish().refCount()
        refCounted.subscribe().dispose()
        let scope: SubjectLifetimeScope = .forever
        var heard: [Int] = []
        let forever = xs.share(replay: 2, scope: scope)
        subscriptions = 0
        for _ in 0..<2 { forever.subscribe(onNext: { heard.append($0) }).dispose() }
        XCTAssertEqual(heard, [1, 1, 2])
    }
}
