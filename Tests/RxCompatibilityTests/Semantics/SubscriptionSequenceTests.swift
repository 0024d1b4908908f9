import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

/// The order in which an operator subscribes to its sources.
///
/// The order affects the result if a source emits at subscription.
final class SubscriptionSequenceTests: XCTestCase {
    private var log: [String] = []
    private let bag = DisposeBag()

    private func named(_ name: String) -> Observable<Int> {
        Observable.create { observer in
            self.log.append(name)
            return Disposables.create()
        }
    }

    private func order<Element>(_ stream: Observable<Element>) -> [String] {
        log = []
        stream.subscribe().disposed(by: bag)
        return log
    }

    func testTheOrderOfTheSources() {
        XCTAssertEqual(order(named("a").take(until: named("b"))), ["b", "a"])
        XCTAssertEqual(order(named("a").skip(until: named("b"))), ["a", "b"])
        XCTAssertEqual(order(named("a").withLatestFrom(named("b"))), ["b", "a"])
        XCTAssertEqual(order(named("a").sample(named("b"))), ["a", "b"])
        XCTAssertEqual(order(named("a").amb(named("b"))), ["a", "b"])
        XCTAssertEqual(
            order(Observable.combineLatest(named("a"), named("b"), named("c")) { $0 + $1 + $2 }), ["a", "b", "c"])
        XCTAssertEqual(order(Observable.zip(named("a"), named("b"), named("c")) { $0 + $1 + $2 }), ["a", "b", "c"])
        XCTAssertEqual(order(Observable.merge(named("a"), named("b"))), ["a", "b"])
        XCTAssertEqual(order(named("a").concat(named("b"))), ["a"])
        XCTAssertEqual(order(named("a").startWith(1).retry(when: { $0 })), ["a"])
    }

    private func all<Element>(_ stream: Observable<Element>) -> [Element] {
        var heard: [Element] = []
        stream.subscribe(onNext: { heard.append($0) }).disposed(by: bag)
        return heard
    }

    func testSourcesThatSpeakAtOnce() {
        XCTAssertEqual(all(Observable.just(1).withLatestFrom(Observable.just(2))), [2])
        XCTAssertEqual(all(Observable.just(1).sample(Observable.just(2))), [1])
        XCTAssertEqual(all(Observable.just(1).skip(until: Observable.just(2))), [])
        XCTAssertEqual(all(Observable.of(1, 2).skip(until: Observable.just(2))), [1, 2])
        XCTAssertEqual(all(Observable.just(1).take(until: Observable.just(2))), [])
        XCTAssertEqual(all(Observable.just(1).amb(Observable.just(2))), [1])
        XCTAssertEqual(all(Observable.of(Observable.just(1), .just(2)).switchLatest()), [1, 2])
        XCTAssertEqual(all(Observable.of(Observable.of(1, 2), .of(3, 4)).switchLatest()), [1, 3, 4])
        XCTAssertEqual(all(Observable.of(1, 2, 3).flatMapFirst { Observable.of($0, $0 * 10) }), [1, 10])
        XCTAssertEqual(all(Observable.of(1, 2, 3).flatMapLatest { Observable.of($0, $0 * 10) }), [1, 2, 3, 30])
    }

    func testSequencesAreWalkedLazily() {
        var made = 0
        let endless = sequence(first: 1) { $0 + 1 }.lazy.map { number -> Observable<Int> in
            made += 1
            return .just(number)
        }
        XCTAssertEqual(all(Observable.concat(endless).take(3)), [1, 2, 3])
        XCTAssertLessThanOrEqual(made, 3)
        let failing = sequence(first: 1) { $0 + 1 }.lazy.map { number -> Observable<Int> in
            number < 5 ? .error(TestError.one) : .just(number)
        }
        XCTAssertEqual(all(Observable.catch(sequence: failing)), [5])
    }

    func testAGroupOutlivesTheStreamOfGroups() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(240, 3), .completed(300)])
        let inner = scheduler.createObserver(Int.self)
        var outer: Disposable?
        var group: Disposable?
        scheduler.scheduleAt(200) {
            outer = source.groupBy { _ in 0 }.subscribe(onNext: { group = $0.subscribe(inner) })
        }
        scheduler.scheduleAt(230) { outer?.dispose() }
        scheduler.scheduleAt(250) { group?.dispose() }
        scheduler.start()
        XCTAssertEqual(inner.events, [.next(210, 1), .next(220, 2), .next(240, 3)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 250)])
    }

    func testGroupsEndWithTheSource() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .error(230, TestError.one)])
        let result = scheduler.start {
            source.groupBy { $0 % 2 }.flatMap { group in group.materialize().map { "\(group.key) \($0)" } }
        }
        XCTAssertEqual(Array(result.events.prefix(2)), [.next(210, "1 next(1)"), .next(220, "0 next(2)")])
        // Each group emits the error before the stream of groups does. The order among the groups is not specified.
        XCTAssertEqual(
            result.events.dropFirst(2).compactMap(\.value.element).sorted(),
            ["0 error(one)", "1 error(one)"])
        XCTAssertEqual(result.events.last, .error(230, TestError.one))
    }
}
