import Foundation
import Rx
import RxTest
import XCTest

/// Streams, observers and subjects that a test suite defines for itself.
final class OwnTypesSurface: ResourceCountingCase {
    func testResourcesAreCountedInThirtyTwoBits() {
        let total: Int32 = Resources.total
        let more: Int32 = Resources.incrementTotal()
        XCTAssertEqual(more, total + 1)
        Resources.incrementTotal()
        Resources.decrementTotal()
        let less: Int32 = Resources.decrementTotal()
        XCTAssertEqual(less, total)
        #if DEBUG
            let subscription: Disposable = Observable<Int>.never().subscribe { _ in }
            XCTAssertGreaterThan(Resources.total, total)
            subscription.dispose()
        #endif
    }

    func testPrimitiveHotObservables() {
        let xs = PrimitiveHotObservable<Int>()
        let observer = PrimitiveMockObserver()
        let subscription = xs.map { $0 * 2 }.subscribe(observer)
        XCTAssertEqual(xs.subscriptions, [SubscribedToHotObservable])
        xs.on(.next(0))
        xs.on(.next(1))
        XCTAssertEqual(observer.events, [.next(0, 0), .next(0, 2)])
        subscription.dispose()
        xs.on(.next(2))
        XCTAssertEqual(observer.events, [.next(0, 0), .next(0, 2)])
        XCTAssertEqual(xs.subscriptions, [UnsunscribedFromHotObservable])
    }

    func testAnErrorEndsThePrimitiveHotObservable() {
        let xs = PrimitiveHotObservable<Int>()
        let observer = PrimitiveMockObserver()
        _ = xs.observe(on: CurrentThreadScheduler.instance).subscribe(observer)
        xs.on(.next(1))
        xs.on(.error(testError))
        xs.on(.next(2))
        XCTAssertEqual(observer.events, [.next(0, 1), .error(0, testError)])
        XCTAssertEqual(xs.subscriptions, [UnsunscribedFromHotObservable])
    }

    func testElementsOfAnotherThread() {
        let xs: PrimitiveHotObservable<Int> = BackgroundThreadPrimitiveHotObservable<Int>()
        let observer = PrimitiveMockObserver()
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "own types")
        let finished = DispatchSemaphore(value: 0)
        let subscription = xs.observe(on: scheduler).do(onCompleted: { finished.signal() }).subscribe(observer)
        xs.on(.next(0))
        xs.on(.next(1))
        xs.on(.completed)
        XCTAssertEqual(finished.wait(timeout: .now() + 120), .success)
        XCTAssertTrue(observer.events.starts(with: [.next(0, 0), .next(0, 1)]))
        subscription.dispose()
        XCTAssertEqual(xs.subscriptions, [UnsunscribedFromHotObservable])
    }

    func testAConnectableOfAnOwnSubject() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([.next(110, 7), .next(270, 3), .next(340, 8), .completed(500)])
        let subject = MySubject<Int>()
        let connectable = TestConnectableObservable(o: xs.asObservable(), s: subject)
        let disconnected = connectable.connect()
        subject.observer = AnyObserver { _ in }
        let observer = scheduler.createObserver(Int.self)
        var subscription: Disposable! = nil
        scheduler.scheduleAt(200) { subscription = connectable.subscribe(observer) }
        scheduler.scheduleAt(300) { subscription.dispose() }
        scheduler.start()
        XCTAssertEqual(observer.events, [.next(270, 3)])
        XCTAssertEqual(xs.subscriptions, [Subscription(0, 500)])
        XCTAssertTrue(subject.subscribed && subject.disposed)
        disconnected.dispose()
    }

    func testRefCountOfAnOwnConnectable() {
        let subject = MySubject<Int>()
        let connectable = TestConnectableObservable(o: Observable<Int>.never(), s: subject)
        let refd: Observable<Int> = connectable.refCount()
        let first = refd.subscribe { _ in }
        XCTAssertEqual(1, subject.subscribeCount)
        let second = refd.subscribe { _ in }
        XCTAssertEqual(2, subject.subscribeCount)
        XCTAssertFalse(subject.disposed)
        first.dispose()
        second.dispose()
        XCTAssertTrue(subject.disposed)
    }

    func testAnOwnSubjectDisposesInTheMiddle() {
        let subject = MySubject<Int>()
        let serial = SerialDisposable()
        var heard: [Int] = []
        subject.disposeOn(value: 2, disposable: serial)
        serial.disposable = subject.asObservable().map { $0 + 1 }.subscribe(onNext: { heard.append($0) })
        subject.on(.next(1))
        subject.on(.next(2))
        subject.on(.next(3))
        XCTAssertEqual(heard, [2, 3])
    }

    func testACreatedStreamThatKeepsItsObserver() {
        var kept: AnyObserver<Int>!
        var disposed = 0
        var log: [String] = []
        let xs = Observable<Int>.create { observer in
            kept = observer
            return Disposables.create { disposed += 1 }
        }
        let subscription = xs.subscribe { (event: Event<Int>) -> Void in log.append("\(event)") }
        kept.on(.next(1))
        kept.onNext(2)
        subscription.dispose()
        kept.onError(testError)
        XCTAssertEqual(log, ["next(1)", "next(2)"])
        XCTAssertEqual(disposed, 1)
        kept = nil
    }

    func testScriptsOfAnyElements() {
        let scheduler = TestScheduler(initialClock: 0)
        let tuples = scheduler.createHotObservable([.next(210, (1, "a")), .next(220, (2, "b")), .completed(230)])
        let words = scheduler.createHotObservable([.next(215, "x"), .error(240, testError)])
        let optionals: TestableObservable<Int?> = scheduler.createColdObservable([
            .next(5, nil), .next(10, 1), .completed(20),
        ])
        let arrays = scheduler.createColdObservable([.next(5, EquatableArray([1, 2])), .completed(6)])
        let observer = scheduler.createObserver(String.self)
        let subscription = SerialDisposable()
        scheduler.scheduleAt(Defaults.subscribed) {
            subscription.disposable = tuples.map { "\($0.0)\($0.1)" }.subscribe(observer)
        }
        let strings = scheduler.createObserver(String.self)
        scheduler.scheduleAt(Defaults.created) { _ = words.subscribe(strings) }
        let res = scheduler.start { optionals.map { $0 ?? -1 } }
        XCTAssertEqual(res.events, [.next(205, -1), .next(210, 1), .completed(220)])
        XCTAssertEqual(observer.events, [.next(210, "1a"), .next(220, "2b"), .completed(230)])
        XCTAssertEqual(strings.events, [.next(215, "x"), .error(240, testError)])
        XCTAssertEqual(arrays.recordedEvents[0].value, .next(EquatableArray([1, 2])))
    }

    func testErrorsAreComparedAsTestsDo() {
        XCTAssertErrorEqual(testError, testError)
        XCTAssertErrorEqual(RxError.timeout, RxError.timeout)
        XCTAssertTrue(Event<Int>.error(testError) != Event<Int>.error(testError1))
        do {
            _ = try Observable<Int>.error(testError).toBlocking().first()
            XCTFail("The stream fails.")
        } catch let error {
            XCTAssertErrorEqual(error, testError)
        }
    }

    func testVirtualTimeIsStartedInAllForms() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs: TestableObservable<Int> = scheduler.createHotObservable([
            .next(150, 1), .next(210, 2), .next(390, 3), .next(410, 4),
        ])
        let res = scheduler.start(disposed: 400) { () -> Observable<Int> in
            xs.filter { (value: Int) -> Bool in value > 0 }
        }
        let correctMessages = Recorded.events(.next(210, 2), .next(390, 3))
        let correctSubscriptions = [Subscription(200, 400)]
        XCTAssertEqual(res.events, correctMessages)
        XCTAssertEqual(xs.subscriptions, correctSubscriptions)
    }
}
