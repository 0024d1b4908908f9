import Foundation
import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

private final class Lamp: ReactiveCompatible {
    var isOn = false
    var name = ""
}

/// Binding streams to observers, relays, binders and closures, and streams that cannot fail.
final class BindingTests: XCTestCase {
    private let bag = DisposeBag()

    func testMulticastWithASelector() {
        var subscriptions = 0
        let cold = Observable<Int>.create { observer in
            subscriptions += 1
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create()
        }
        let doubled = cold.multicast({ PublishSubject<Int>() }, selector: { Observable.zip($0, $0) { $0 + $1 } })
        XCTAssertEqual(try doubled.toBlocking(timeout: 5).toArray(), [2])
        XCTAssertEqual(subscriptions, 1)
    }

    func testBindToEverything() {
        let source = PublishSubject<Int>()
        let observer = TestScheduler(initialClock: 0).createObserver(Int.self)
        let optional = TestScheduler(initialClock: 0).createObserver(Int?.self)
        let publish = PublishRelay<Int>()
        let behavior = BehaviorRelay<Int?>(value: nil)
        let replay = ReplayRelay<Int>.create(bufferSize: 2)
        var closure: [Int] = []
        source.bind(to: observer).disposed(by: bag)
        source.bind(to: optional).disposed(by: bag)
        source.bind(to: publish).disposed(by: bag)
        source.bind(to: replay, ReplayRelay<Int>.createUnbound()).disposed(by: bag)
        source.bind(to: behavior).disposed(by: bag)
        source.bind(onNext: { closure.append($0) }).disposed(by: bag)
        source.bind { closure.append($0) }.disposed(by: bag)
        source.bind(with: self, onNext: { _, value in closure.append(value) }).disposed(by: bag)
        source.bind(to: { stream in stream.subscribe(onNext: { closure.append($0) }) }).disposed(by: bag)
        source.onNext(1)
        source.onNext(2)
        XCTAssertEqual(observer.events, [.next(0, 1), .next(0, 2)])
        XCTAssertEqual(optional.events, [.next(0, 1), .next(0, 2)])
        XCTAssertEqual(behavior.value, 2)
        XCTAssertEqual(closure, [1, 1, 1, 1, 2, 2, 2, 2])
        XCTAssertEqual(try replay.asObservable().take(2).toBlocking(timeout: 5).toArray(), [1, 2])
    }

    func testBinders() {
        let lamp = Lamp()
        let binder = Binder(lamp) { $0.isOn = $1 }
        Observable.just(true).bind(to: binder).disposed(by: bag)
        binder.asObserver().onNext(true)
        XCTAssertTrue(lamp.isOn)
        Observable.just("desk").bind(to: lamp.rx.name).disposed(by: bag)
        XCTAssertEqual(lamp.name, "desk")
        XCTAssertTrue(lamp.rx.base === lamp)
    }

    func testInfallible() {
        var log: [String] = []
        let stream: Infallible<Int> = Infallible.create { observer in
            observer(.next(1))
            observer(.completed)
            return Disposables.create()
        }
        stream.map { $0 + 1 }.filter { $0 > 0 }.subscribe(
            onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") },
            onDisposed: { log.append("disposed") }
        ).disposed(by: bag)
        Observable<Int>.error(TestError.one).asInfallible(onErrorJustReturn: 7)
            .subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
        Observable<Int>.error(TestError.one).asInfallible(onErrorFallbackTo: .of(8, 9))
            .subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
        Observable<Int>.error(TestError.one).asInfallible(onErrorRecover: { _ in .just(10) })
            .subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
        Infallible.zip(Infallible.just(1), Infallible.of(2)) { $0 + $1 }
            .subscribe(onNext: { log.append("zip \($0)") }).disposed(by: bag)
        Infallible.combineLatest(Infallible.just(1), Infallible.just("a")) { "\($0)\($1)" }
            .subscribe(with: self, onNext: { _, text in log.append(text) }).disposed(by: bag)
        Infallible.just(1).flatMapLatest { Infallible.just($0) }.share(replay: 1).distinctUntilChanged()
            .subscribe(onNext: { log.append("shared \($0)") }).disposed(by: bag)
        XCTAssertEqual(log, ["2", "completed", "disposed", "7", "8", "9", "10", "zip 3", "1a", "shared 1"])
    }

    func testRelaysAsObservers() {
        let relay = ReplayRelay<Int>.createUnbound()
        relay.accept(1)
        var heard: [Int] = []
        relay.subscribe(onNext: { heard.append($0) }).disposed(by: bag)
        relay.accept(2)
        XCTAssertEqual(heard, [1, 2])
    }
}
