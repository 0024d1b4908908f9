import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

/// Streams that receive events, end, or gain and lose subscribers inside their own events.
final class ReentrancySemanticsTests: XCTestCase {
    private var log: [String] = []
    private let bag = DisposeBag()

    func testTakeCountsBeforeItTells() {
        let subject = BehaviorSubject(value: false)
        subject.take(1).subscribe(
            onNext: { value in
                self.log.append("\(value)")
                subject.onNext(!value)
            }, onCompleted: { self.log.append("completed") }
        ).disposed(by: bag)
        XCTAssertEqual(log, ["false", "completed"])
        XCTAssertFalse(subject.hasObservers)
    }

    func testTakeCountsNestedElements() {
        let subject = PublishSubject<Int>()
        subject.take(3).subscribe(
            onNext: { value in
                self.log.append("\(value)")
                subject.onNext(value + 1)
            }, onCompleted: { self.log.append("completed") }
        ).disposed(by: bag)
        subject.onNext(0)
        XCTAssertEqual(log, ["0", "1", "2", "completed"])
    }

    func testDistinctUntilChangedWithNestedElements() {
        let subject = PublishSubject<Int>()
        subject.distinctUntilChanged().subscribe(onNext: { value in
            self.log.append("\(value)")
            if value < 3 { subject.onNext(value + 1) }
        }).disposed(by: bag)
        subject.onNext(1)
        subject.onNext(3)
        XCTAssertEqual(log, ["1", "2", "3"])
    }

    func testScanWithNestedElements() {
        let subject = PublishSubject<Int>()
        subject.scan(0, accumulator: { $0 + $1 }).subscribe(onNext: { sum in
            self.log.append("\(sum)")
            if sum == 1 { subject.onNext(10) }
        }).disposed(by: bag)
        subject.onNext(1)
        subject.onNext(100)
        XCTAssertEqual(log, ["1", "11", "111"])
    }

    func testAWholeCircle() {
        let relay = PublishRelay<Int>()
        relay.map { $0 + 1 }.filter { $0 < 5 }.subscribe(onNext: { value in
            self.log.append("\(value)")
            relay.accept(value)
        }).disposed(by: bag)
        relay.accept(0)
        XCTAssertEqual(log, ["1", "2", "3", "4"])
    }

    func testCombineLatestFedFromItsOwnResult() {
        let left = BehaviorSubject(value: 0)
        let right = BehaviorSubject(value: 0)
        Observable.combineLatest(left, right) { "\($0)\($1)" }.subscribe(onNext: { text in
            self.log.append(text)
            if text == "10" { right.onNext(1) }
        }).disposed(by: bag)
        left.onNext(1)
        left.onNext(2)
        XCTAssertEqual(log, ["00", "10", "11", "21"])
    }

    func testDisposingTwoInsideTheEventOfOne() {
        let subject = PublishSubject<Int>()
        let all = CompositeDisposable()
        for name in ["a", "b"] {
            _ = all.insert(
                subject.map { $0 }.subscribe(onNext: { _ in
                    self.log.append(name)
                    all.dispose()
                }))
        }
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log, ["a"])
        XCTAssertFalse(subject.hasObservers)
    }

    func testMergingColdStreamsDoesNotDeadlock() {
        let three = Observable.of(0, 1, 2)
        let failing = Observable.of(0, 1).concat(Observable<Int>.error(TestError.one))
        for (streams, elements, ends) in [
            ([three, three, three], 9, "completed"), ([failing, three, three], -1, "error"),
            ([.empty(), three, .empty()], 3, "completed"), ([.error(TestError.one), three], -1, "error"),
        ] {
            var count = 0
            var end = ""
            Observable.from(streams).merge().subscribe(
                onNext: { _ in count += 1 }, onError: { _ in end = "error" }, onCompleted: { end = "completed" }
            ).disposed(by: bag)
            XCTAssertEqual(end, ends)
            if elements >= 0 { XCTAssertEqual(count, elements) }
        }
    }

    func testAStreamResubscribesFromItsOwnEnd() {
        var rounds = 0
        func start() {
            Observable.just(1).subscribe(onCompleted: {
                rounds += 1
                if rounds < 5 { start() }
            }).disposed(by: bag)
        }
        start()
        XCTAssertEqual(rounds, 5)
    }

    func testDisposingInsideTheSubscriptionClosure() {
        let slot = SerialDisposable()
        let stream = Observable<Int>.create { observer in
            observer.onNext(1)
            slot.dispose()
            observer.onNext(2)
            return Disposables.create { self.log.append("end") }
        }
        slot.disposable = stream.subscribe(onNext: { self.log.append("\($0)") })
        XCTAssertEqual(log, ["1", "2", "end"])
    }

    func testTakeEndsAnEndlessLoopOfCreate() {
        let stream = Observable<Int>.create { observer in
            let cancel = BooleanDisposable()
            var number = 0
            while number < 10 {
                observer.onNext(number)
                number += 1
            }
            return cancel
        }
        stream.take(2).subscribe(onNext: { self.log.append("\($0)") }, onCompleted: { self.log.append("completed") })
            .disposed(by: bag)
        XCTAssertEqual(log, ["0", "1", "completed"])
    }
}
