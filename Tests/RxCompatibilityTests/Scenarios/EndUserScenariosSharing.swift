import Rx
import RxTest
import XCTest

/// How often the work of a stream is done if it has several subscribers, with and without sharing.
final class EndUserScenariosSharing: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private let disposeBag = DisposeBag()

    func testTwoSubscribersToAMappedColdObservableMapTwice() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .completed(30)])
        var mapped: [Int] = []
        let stream = source.map { value -> Int in
            mapped.append(value)
            return value * 10
        }
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)

        scheduler.scheduleAt(200) { stream.subscribe(first).disposed(by: self.disposeBag) }
        scheduler.scheduleAt(215) { stream.subscribe(second).disposed(by: self.disposeBag) }
        scheduler.start()

        XCTAssertEqual(first.events, [.next(210, 10), .next(220, 20), .completed(230)])
        XCTAssertEqual(second.events, [.next(225, 10), .next(235, 20), .completed(245)])
        XCTAssertEqual(mapped, [1, 2, 1, 2])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230), Subscription(215, 245)])
    }

    func testShareReplayThreeReplaysThreeToTheLatecomerAndMapsOnce() {
        let source = scheduler.createColdObservable([
            .next(10, 1), .next(20, 2), .next(30, 3), .next(40, 4), .next(60, 5), .completed(70),
        ])
        var mapped: [Int] = []
        let shared =
            source
            .map { value -> String in
                mapped.append(value)
                return "#\(value)"
            }
            .share(replay: 3)
        let first = scheduler.createObserver(String.self)
        let late = scheduler.createObserver(String.self)

        scheduler.scheduleAt(200) { shared.subscribe(first).disposed(by: self.disposeBag) }
        scheduler.scheduleAt(250) { shared.subscribe(late).disposed(by: self.disposeBag) }
        scheduler.start()

        XCTAssertEqual(
            first.events,
            [
                .next(210, "#1"), .next(220, "#2"), .next(230, "#3"), .next(240, "#4"), .next(260, "#5"),
                .completed(270),
            ])
        XCTAssertEqual(
            late.events,
            [.next(250, "#2"), .next(250, "#3"), .next(250, "#4"), .next(260, "#5"), .completed(270)])
        XCTAssertEqual(mapped, [1, 2, 3, 4, 5])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 270)])
    }

    func testASharedTimerTicksForAllAndStopsWithTheLast() {
        let ticks = Observable<Int>.interval(.seconds(10), scheduler: scheduler).share()
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        var subscriptions: [Disposable] = []

        scheduler.scheduleAt(100) { subscriptions.append(ticks.subscribe(first)) }
        scheduler.scheduleAt(125) { subscriptions.append(ticks.subscribe(second)) }
        scheduler.scheduleAt(135) { subscriptions[0].dispose() }
        scheduler.scheduleAt(145) { subscriptions[1].dispose() }
        scheduler.start()

        XCTAssertEqual(first.events, [.next(110, 0), .next(120, 1), .next(130, 2)])
        XCTAssertEqual(second.events, [.next(130, 2), .next(140, 3)])
    }

    func testBehaviorRelayKeepsTheCurrentValue() {
        let volume = BehaviorRelay(value: 5)
        var heard: [Int] = []
        volume.subscribe(onNext: { heard.append($0) }).disposed(by: disposeBag)
        volume.accept(6)
        volume.accept(volume.value + 1)
        XCTAssertEqual(heard, [5, 6, 7])
        XCTAssertEqual(volume.value, 7)
    }
}
