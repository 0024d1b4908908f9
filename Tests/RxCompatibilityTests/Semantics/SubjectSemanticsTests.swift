import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

/// The behaviour of subjects that get events or change subscribers inside an event, and after the end.
final class SubjectSemanticsTests: XCTestCase {
    private var log: [String] = []
    private let bag = DisposeBag()

    private func listen<Stream: ObservableType>(
        _ name: String, _ stream: Stream, _ next: ((Stream.Element) -> Void)? = nil
    )
        -> Disposable
    {
        stream.subscribe(
            onNext: {
                self.log.append("\(name) \($0)")
                next?($0)
            }, onError: { self.log.append("\(name) error \($0)") },
            onCompleted: { self.log.append("\(name) completed") })
    }

    func testAnEventInsideAnEventIsDeliveredAtOnce() {
        let subject = PublishSubject<Int>()
        listen("a", subject) { if $0 == 1 { subject.onNext(2) } }.disposed(by: bag)
        listen("b", subject).disposed(by: bag)
        subject.onNext(1)
        XCTAssertEqual(log, ["a 1", "a 2", "b 2", "b 1"])
    }

    func testBehaviorSubjectFedInsideAnEvent() throws {
        let subject = BehaviorSubject(value: 0)
        listen("a", subject) { if $0 == 1 { subject.onNext(2) } }.disposed(by: bag)
        listen("b", subject).disposed(by: bag)
        subject.onNext(1)
        XCTAssertEqual(log, ["a 0", "b 0", "a 1", "a 2", "b 2", "b 1"])
        XCTAssertEqual(try subject.value(), 2)
    }

    func testBehaviorSubjectFedInsideTheFirstValue() {
        let subject = BehaviorSubject(value: 0)
        listen("a", subject) { if $0 == 0 { subject.onNext(1) } }.disposed(by: bag)
        subject.onNext(2)
        XCTAssertEqual(log, ["a 0", "a 1", "a 2"])
    }

    func testSubscribingInsideAnEventStartsWithTheNext() {
        let subject = PublishSubject<Int>()
        listen("a", subject) { value in
            if value == 1 { self.listen("b", subject).disposed(by: self.bag) }
        }.disposed(by: bag)
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log, ["a 1", "a 2", "b 2"])
    }

    func testSubscribingToABehaviorSubjectInsideAnEventGetsThatEvent() {
        let subject = BehaviorSubject(value: 0)
        listen("a", subject) { value in
            if value == 1 { self.listen("b", subject).disposed(by: self.bag) }
        }.disposed(by: bag)
        subject.onNext(1)
        XCTAssertEqual(log, ["a 0", "a 1", "b 1"])
    }

    func testCompletingInsideAnEvent() {
        let subject = PublishSubject<Int>()
        listen("a", subject) { _ in subject.onCompleted() }.disposed(by: bag)
        subject.onNext(1)
        subject.onNext(2)
        listen("late", subject).disposed(by: bag)
        XCTAssertEqual(log, ["a 1", "a completed", "late completed"])
    }

    func testOnlyTheFirstEndCounts() {
        let subject = PublishSubject<Int>()
        listen("a", subject).disposed(by: bag)
        subject.onError(TestError.one)
        subject.onError(TestError.two)
        subject.onCompleted()
        subject.onNext(1)
        listen("late", subject).disposed(by: bag)
        XCTAssertEqual(log, ["a error one", "late error one"])
        XCTAssertFalse(subject.hasObservers)
    }

    func testADisposedSubjectTellsLatecomersSo() {
        let publish = PublishSubject<Int>()
        let behavior = BehaviorSubject(value: 0)
        let replay = ReplaySubject<Int>.create(bufferSize: 2)
        listen("publish", publish).disposed(by: bag)
        listen("behavior", behavior).disposed(by: bag)
        listen("replay", replay).disposed(by: bag)
        publish.dispose()
        behavior.dispose()
        replay.dispose()
        publish.onNext(1)
        behavior.onNext(1)
        replay.onNext(1)
        publish.onCompleted()
        XCTAssertEqual(log, ["behavior 0"])

        for stream in [publish.asObservable(), behavior.asObservable(), replay.asObservable()] {
            var found: Error?
            _ = stream.subscribe(onError: { found = $0 })
            guard let error = found as? RxError, case .disposed = error else {
                XCTFail("A disposed subject must fail with RxError.disposed, not \(String(describing: found)).")
                continue
            }
        }
        XCTAssertTrue(publish.isDisposed && behavior.isDisposed && replay.isDisposed)
        XCTAssertThrowsError(try behavior.value()) { error in
            guard case RxError.disposed = error else { return XCTFail("\(error)") }
        }
    }

    func testValueOfABehaviorSubjectAfterTheEnd() throws {
        let completed = BehaviorSubject(value: 1)
        completed.onCompleted()
        completed.onNext(2)
        XCTAssertEqual(try completed.value(), 1)
        let failed = BehaviorSubject(value: 1)
        failed.onError(TestError.one)
        XCTAssertThrowsError(try failed.value()) { XCTAssertEqual($0 as? TestError, .one) }
        listen("completed", completed).disposed(by: bag)
        listen("failed", failed).disposed(by: bag)
        XCTAssertEqual(log, ["completed completed", "failed error one"])
    }

    func testReplaySubjectReplaysAfterTheEnd() {
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        [1, 2, 3].forEach { subject.onNext($0) }
        subject.onError(TestError.one)
        subject.onNext(4)
        listen("late", subject).disposed(by: bag)
        XCTAssertEqual(log, ["late 2", "late 3", "late error one"])
        let one = ReplaySubject<Int>.create(bufferSize: 1)
        one.onNext(1)
        one.onNext(2)
        one.onCompleted()
        listen("one", one).disposed(by: bag)
        let all = ReplaySubject<Int>.createUnbounded()
        (1...3).forEach { all.onNext($0) }
        listen("all", all).disposed(by: bag)
        XCTAssertEqual(log.suffix(5), ["one 2", "one completed", "all 1", "all 2", "all 3"])
    }

    func testAsyncSubjectSaysTheLastAtTheEnd() {
        let subject = AsyncSubject<Int>()
        listen("a", subject).disposed(by: bag)
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log, [])
        subject.onCompleted()
        listen("late", subject).disposed(by: bag)
        XCTAssertEqual(log, ["a 2", "a completed", "late 2", "late completed"])
        let empty = AsyncSubject<Int>()
        empty.onCompleted()
        listen("empty", empty).disposed(by: bag)
        let failed = AsyncSubject<Int>()
        failed.onNext(1)
        failed.onError(TestError.one)
        listen("failed", failed).disposed(by: bag)
        XCTAssertEqual(log.suffix(2), ["empty completed", "failed error one"])
    }

    func testSubjectsAreObservers() {
        let source = PublishSubject<Int>()
        let middle = BehaviorSubject(value: 0)
        let end = ReplaySubject<Int>.createUnbounded()
        source.subscribe(middle).disposed(by: bag)
        middle.subscribe(end).disposed(by: bag)
        source.onNext(1)
        source.onCompleted()
        listen("end", end.asObserver()).disposed(by: bag)
        XCTAssertEqual(log, ["end 0", "end 1", "end completed"])
    }

    func testHasObservers() {
        let subject = PublishSubject<Int>()
        XCTAssertFalse(subject.hasObservers)
        let first = subject.subscribe()
        let second = subject.subscribe()
        first.dispose()
        XCTAssertTrue(subject.hasObservers)
        second.dispose()
        XCTAssertFalse(subject.hasObservers)
    }

    func testOneObserverHearsTwoStreams() {
        let observer = TestScheduler(initialClock: 0).createObserver(Int.self)
        let erased = observer.asObserver()
        Observable.of(1, 2).subscribe(erased).disposed(by: bag)
        Observable.of(3).subscribe(erased).disposed(by: bag)
        XCTAssertEqual(
            observer.events, [.next(0, 1), .next(0, 2), .completed(0), .next(0, 3), .completed(0)])
    }
}
