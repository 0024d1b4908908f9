import Rx
import RxTest
import XCTest

private final class Thermometer: ReactiveCompatible {
    let changes = PublishSubject<Double>()
    var unit = "°C"
    var calibrated = false
}

extension Reactive where Base: Thermometer {
    fileprivate var temperature: Observable<String> {
        let unit = base.unit
        return base.changes.map { "\($0) \(unit)" }
    }

    fileprivate var adjusted: Binder<Double> {
        Binder(base, scheduler: CurrentThreadScheduler.instance) { thermometer, offset in
            thermometer.calibrated = offset != 0
        }
    }
}

/// Programs that extend a type with `.rx` and `Binder`, and programs that use `sample`.
final class EndUserScenariosExtension: XCTestCase {
    private let disposeBag = DisposeBag()

    func testACustomReactiveExtension() {
        let thermometer = Thermometer()
        var heard: [String] = []
        thermometer.rx.temperature.subscribe(onNext: { heard.append($0) }).disposed(by: disposeBag)
        thermometer.changes.onNext(21.5)
        thermometer.changes.onNext(22)
        XCTAssertEqual(heard, ["21.5 °C", "22.0 °C"])
    }

    func testABinderOfTheUser() {
        let thermometer = Thermometer()
        Observable.just(0.5).bind(to: thermometer.rx.adjusted).disposed(by: disposeBag)
        XCTAssertTrue(thermometer.calibrated)
    }

    func testAWritablePropertyIsABinder() {
        let thermometer = Thermometer()
        let binder: Binder<String> = thermometer.rx.unit
        binder.onNext("K")
        let done = expectation(description: "The main queue came round.")
        DispatchQueue.main.async { done.fulfill() }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(thermometer.unit, "K")
    }

    func testSampleSkipsASampleWithoutANewElement() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(250, 3), .completed(290)])
        let sampler = scheduler.createHotObservable([
            .next(205, ()), .next(225, ()), .next(235, ()), .next(255, ()), .next(300, ()),
        ])
        let result = scheduler.start { source.sample(sampler) }
        XCTAssertEqual(result.events, [.next(225, 2), .next(255, 3), .completed(300)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 290)])
        XCTAssertEqual(sampler.subscriptions, [Subscription(200, 300)])
    }
}
