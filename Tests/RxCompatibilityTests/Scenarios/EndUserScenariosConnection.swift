import Rx
import RxTest
import XCTest

/// A chain of three steps by `flatMap` and `filter`: radio on, device found, link up.
///
/// When the radio is switched off and on again, the chain repeats its steps without a new subscription.
final class EndUserScenariosConnection: XCTestCase {
    private enum Radio: Equatable { case off, on }
    private struct Link: Equatable { let name: String }

    private class Device {
        let name: String
        let scheduler: TestScheduler
        var log: [String] = []

        init(_ name: String, _ scheduler: TestScheduler) {
            self.name = name
            self.scheduler = scheduler
        }

        func connect() -> Observable<Link> {
            Observable.create { [self] observer in
                log.append("\(scheduler.clock) connect")
                let timer = scheduler.scheduleRelative((), dueTime: .seconds(15)) { [self] _ in
                    observer.onNext(Link(name: name))
                    return Disposables.create()
                }
                return Disposables.create { [self] in
                    log.append("\(scheduler.clock) disconnect")
                    timer.dispose()
                }
            }
        }
    }

    func testAChainOfThreeStepsPopsBackToTheFirst() {
        let scheduler = TestScheduler(initialClock: 0)
        let device = Device("thermometer", scheduler)
        let radio = scheduler.createHotObservable([
            .next(210, Radio.off), .next(220, Radio.on), .next(300, Radio.off), .next(330, Radio.on),
        ])
        let names = ["keyboard", "thermometer"]

        let result = scheduler.start(disposed: 400) { () -> Observable<String> in
            let lost = radio.filter { $0 == .off }
            return
                radio
                .filter { $0 == .on }
                .flatMap { _ in Observable.from(names).filter { $0 == device.name }.take(1) }
                .flatMap { _ in device.connect().take(until: lost) }
                .flatMap { link in Observable.of("\(link.name) up").concat(Observable.never()).take(until: lost) }
        }

        XCTAssertEqual(result.events, [.next(235, "thermometer up"), .next(345, "thermometer up")])
        XCTAssertEqual(device.log, ["220 connect", "300 disconnect", "330 connect", "400 disconnect"])
        XCTAssertEqual(
            radio.subscriptions,
            [
                Subscription(200, 400), Subscription(220, 300), Subscription(235, 300), Subscription(330, 400),
                Subscription(345, 400),
            ])
    }

    func testEachStepIsAStateAndTheLastStateWins() {
        let scheduler = TestScheduler(initialClock: 0)
        let radio = scheduler.createHotObservable([
            .next(210, true), .next(240, false), .next(250, true), .completed(300),
        ])
        let found = scheduler.createColdObservable([.next(5, "A"), .next(20, "B")])
        let result = scheduler.start {
            radio.flatMapLatest { isOn in isOn ? found.map { "found \($0)" }.startWith("scanning") : .just("off") }
        }
        XCTAssertEqual(
            result.events,
            [
                .next(210, "scanning"), .next(215, "found A"), .next(230, "found B"), .next(240, "off"),
                .next(250, "scanning"), .next(255, "found A"), .next(270, "found B"),
            ])
        XCTAssertEqual(found.subscriptions, [Subscription(210, 240), Subscription(250, 1000)])
    }
}
