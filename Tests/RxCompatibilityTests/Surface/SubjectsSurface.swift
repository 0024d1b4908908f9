import Foundation
import Rx
import RxTest
import XCTest

private final class Owner { var values: [Int] = [] }

final class SubjectsSurface: ResourceCountingCase {
    /// Checks that a subject works as a stream, an observer and a subject, and whether it has observers.
    private func check<Subject: SubjectType & ObserverType>(
        _ subject: Subject, _ hasObservers: () -> Bool
    ) -> [Event<Int>] where Subject.Element == Int, Subject.Observer.Element == Int {
        var log: [Event<Int>] = []
        XCTAssertFalse(hasObservers())
        let subscription = subject.subscribe { log.append($0) }
        XCTAssertTrue(hasObservers())
        subject.asObserver().on(.next(1))
        subject.onNext(2)
        subject.on(.completed)
        subject.onNext(3)
        XCTAssertFalse(hasObservers())
        subscription.dispose()
        _ = subject.asObservable().subscribe { log.append($0) }
        return log
    }

    func testSubjects() {
        let publish = PublishSubject<Int>()
        XCTAssertEqual(check(publish) { publish.hasObservers }, [.next(1), .next(2), .completed, .completed])
        let behavior = BehaviorSubject(value: 0)
        XCTAssertEqual(
            check(behavior) { behavior.hasObservers }, [.next(0), .next(1), .next(2), .completed, .completed])
        let replay = ReplaySubject<Int>.create(bufferSize: 1)
        XCTAssertEqual(check(replay) { replay.hasObservers }, [.next(1), .next(2), .completed, .next(2), .completed])
        let unbounded = ReplaySubject<Int>.createUnbounded()
        XCTAssertEqual(
            check(unbounded) { unbounded.hasObservers },
            [.next(1), .next(2), .completed, .next(1), .next(2), .completed])
        let async = AsyncSubject<Int>()
        XCTAssertEqual(check(async) { async.hasObservers }, [.next(2), .completed, .next(2), .completed])
    }

    func testTypesOfObservers() {
        let publish: PublishSubject<Int>.SubjectObserverType = PublishSubject<Int>()
        let behavior: BehaviorSubject<Int>.SubjectObserverType = BehaviorSubject(value: 0)
        let replay: ReplaySubject<Int>.SubjectObserverType = ReplaySubject<Int>.create(bufferSize: 1)
        let async: AsyncSubject<Int>.SubjectObserverType = AsyncSubject<Int>()
        XCTAssertTrue(publish.asObserver() === publish)
        XCTAssertTrue(behavior.asObserver() === behavior)
        XCTAssertTrue(replay.asObserver() === replay)
        XCTAssertTrue(async.asObserver() === async)
        let observables: [Observable<Int>] = [publish, behavior, replay, async]
        XCTAssertEqual(observables.count, 4)
    }

    func testDisposedSubjects() {
        let publish = PublishSubject<Int>()
        let behavior = BehaviorSubject(value: 1)
        let replay = ReplaySubject<Int>.create(bufferSize: 1)
        let disposables: [Disposable] = [publish, behavior, replay]
        XCTAssertEqual(try! behavior.value(), 1)
        disposables.forEach { $0.dispose() }
        XCTAssertTrue(publish.isDisposed && behavior.isDisposed)
        for subject in [publish, behavior, replay] as [Observable<Int>] {
            var errors: [Error] = []
            _ = subject.subscribe(onError: { errors.append($0) })
            XCTAssertEqual(errors.count, 1)
            if case .disposed? = errors[0] as? RxError {} else { XCTFail("\(errors)") }
        }
        XCTAssertThrowsError(try behavior.value()) { error in
            if case .disposed? = error as? RxError {} else { XCTFail("\(error)") }
        }
        let failed = BehaviorSubject(value: 1)
        failed.onError(testError)
        XCTAssertThrowsError(try failed.value()) { XCTAssertErrorEqual($0, testError) }
    }

    func testRelays() {
        let publish = PublishRelay<Int>()
        let behavior = BehaviorRelay(value: 0)
        let replay = ReplayRelay<Int>.create(bufferSize: 1)
        let unbound = ReplayRelay<Int>.createUnbound()
        var log: [String] = []
        let bag = DisposeBag()
        publish.asObservable().subscribe(onNext: { log.append("p\($0)") }).disposed(by: bag)
        behavior.asObservable().subscribe(onNext: { log.append("b\($0)") }).disposed(by: bag)
        replay.accept(1)
        unbound.accept(1)
        unbound.accept(2)
        publish.accept(1)
        behavior.accept(behavior.value + 1)
        replay.subscribe { log.append("r\($0)") }.disposed(by: bag)
        unbound.subscribe { (event: Event<Int>) in log.append("u\(event)") }.disposed(by: bag)
        XCTAssertEqual(log, ["b0", "p1", "b1", "rnext(1)", "unext(1)", "unext(2)"])
        let infallible: [Infallible<Int>] = [publish.asInfallible(), behavior.asInfallible(), replay.asInfallible()]
        XCTAssertEqual(infallible.count, 3)
    }

    func testBinding() {
        let bag = DisposeBag()
        let owner = Owner()
        let publish = PublishRelay<Int>()
        let optionalPublish = PublishRelay<Int?>()
        let behavior = BehaviorRelay<Int>(value: 0)
        let optionalBehavior = BehaviorRelay<Int?>(value: nil)
        let replay = ReplayRelay<Int>.createUnbound()
        let optionalReplay = ReplayRelay<Int?>.createUnbound()
        let optionalObserver = BehaviorSubject<Int?>(value: nil)
        let xs = PublishSubject<Int>()
        xs.bind(to: publish).disposed(by: bag)
        xs.bind(to: publish, PublishRelay<Int>()).disposed(by: bag)
        xs.bind(to: optionalPublish).disposed(by: bag)
        xs.bind(to: behavior).disposed(by: bag)
        xs.bind(to: optionalBehavior).disposed(by: bag)
        xs.bind(to: replay).disposed(by: bag)
        xs.bind(to: optionalReplay).disposed(by: bag)
        xs.bind(to: optionalObserver).disposed(by: bag)
        xs.bind(to: AnyObserver<Int> { owner.values.append($0.element ?? -1) }).disposed(by: bag)
        xs.bind(with: owner) { owner, value in owner.values.append(value * 10) }.disposed(by: bag)
        xs.bind(onNext: { owner.values.append($0 * 100) }).disposed(by: bag)
        let binder = Binder<Int>(owner, scheduler: CurrentThreadScheduler.instance) { (owner: Owner, value: Int) in
            owner.values.append(value * 1000)
        }
        xs.bind(to: binder).disposed(by: bag)
        xs.onNext(1)
        XCTAssertEqual(owner.values, [1, 10, 100, 1000])
        XCTAssertEqual(behavior.value, 1)
        XCTAssertEqual(optionalBehavior.value, 1)
        XCTAssertEqual(try! optionalObserver.value(), 1)
        let function: Int = xs.bind(to: { (stream: PublishSubject<Int>) -> Int in stream === xs ? 1 : 0 })
        let curried: String = xs.bind(to: { _ in { (suffix: String) in "x" + suffix } }, curriedArgument: "y")
        XCTAssertEqual([String(function), curried], ["1", "xy"])
    }
}
