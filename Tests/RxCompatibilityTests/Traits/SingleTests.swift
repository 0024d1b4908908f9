import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

final class SingleTests: XCTestCase {
    private var log: [String] = []
    private let bag = DisposeBag()

    private func hear<Element>(_ single: Single<Element>) {
        single.subscribe(
            onSuccess: { self.log.append("\($0)") }, onFailure: { self.log.append("failure \($0)") },
            onDisposed: { self.log.append("disposed") }
        ).disposed(by: bag)
    }

    func testCreateAndSubscribe() {
        let good = Single<Int>.create { single in
            single(.success(1))
            single(.success(2))
            single(.failure(TestError.one))
            return Disposables.create { self.log.append("end") }
        }
        let bad = Single<Int>.create { single in
            single(.failure(TestError.one))
            return Disposables.create()
        }
        hear(good)
        hear(bad)
        var outcomes: [SingleEvent<Int>] = []
        good.subscribe { outcomes.append($0) }.disposed(by: bag)
        bad.subscribe { event in
            switch event {
            case .success(let value): self.log.append("\(value)")
            case .failure(let error): self.log.append("\(error)")
            }
        }.disposed(by: bag)
        XCTAssertEqual(log, ["1", "disposed", "end", "failure one", "disposed", "end", "one"])
        XCTAssertEqual(outcomes.count, 1)
        XCTAssertEqual(try outcomes[0].get(), 1)
    }

    func testDoHooks() {
        hear(
            Single.just(1).do(
                onSuccess: { self.log.append("onSuccess \($0)") },
                afterSuccess: { self.log.append("afterSuccess \($0)") },
                onError: { self.log.append("onError \($0)") }, afterError: { self.log.append("afterError \($0)") },
                onSubscribe: { self.log.append("onSubscribe") }, onSubscribed: { self.log.append("onSubscribed") },
                onDispose: { self.log.append("onDispose") }))
        XCTAssertEqual(
            log, ["onSubscribe", "onSuccess 1", "1", "disposed", "afterSuccess 1", "onSubscribed", "onDispose"])
    }

    func testDoHooksOfAFailure() {
        hear(
            Single<Int>.error(TestError.one).do(
                onSuccess: { _ in self.log.append("onSuccess") }, onError: { _ in self.log.append("onError") },
                afterError: { _ in self.log.append("afterError") }, onSubscribe: { self.log.append("onSubscribe") },
                onSubscribed: { self.log.append("onSubscribed") }, onDispose: { self.log.append("onDispose") }))
        XCTAssertEqual(
            log,
            ["onSubscribe", "onError", "failure one", "disposed", "afterError", "onSubscribed", "onDispose"])
    }

    func testOperators() {
        hear(Single.just(1).map { $0 + 1 })
        hear(Single.just(1).flatMap { .just("\($0)!") })
        hear(
            Single.just(2).flatMap { value in
                Single<Int>.create {
                    $0(.success(value * 2)); return Disposables.create()
                }
            })
        hear(Single<Int>.error(TestError.one).catchAndReturn(5))
        hear(Single<Int>.error(TestError.one).catch { _ in .just(6) })
        hear(Single<Int>.error(TestError.one).catch { _ in throw TestError.two })
        hear(Single.just(1).map { _ -> Int in throw TestError.two })
        hear(Single.just(1).flatMap { _ -> Single<Int> in throw TestError.two })
        hear(Single.zip(Single.just(1), Single.just("a")) { "\($0)\($1)" })
        hear(Single<Int>.deferred { .just(7) })
        hear(Single.just(1).asObservable().asSingle())
        let heard = log.filter { $0 != "disposed" }
        XCTAssertEqual(
            heard,
            [
                "2", "1!", "4", "5", "6", "failure two", "failure two", "failure two", "1a", "7", "1",
            ])
    }

    func testConversions() {
        var log: [String] = []
        Single.just(1).asObservable().subscribe { log.append("\($0)") }.disposed(by: bag)
        Single.just(1).asCompletable().subscribe { log.append("\($0)") }.disposed(by: bag)
        Single.just(1).asMaybe().subscribe { log.append("\($0)") }.disposed(by: bag)
        Single.just(1).filter { $0 > 1 }.subscribe { log.append("\($0)") }.disposed(by: bag)
        Single.just("1").compactMap(Int.init).subscribe { log.append("\($0)") }.disposed(by: bag)
        Single.just(1).flatMapMaybe { $0 > 1 ? .just($0) : .empty() }.subscribe { log.append("\($0)") }.disposed(
            by: bag)
        Single.just(1).flatMapCompletable { _ in .error(TestError.one) }
            .subscribe(onCompleted: {}, onError: { log.append("error(\($0))") }).disposed(by: bag)
        XCTAssertEqual(
            log,
            [
                "next(1)", "completed", "completed", "success(1)", "completed", "success(1)", "completed", "error(one)",
            ])
    }

    func testAsSingleCountsElements() {
        hear(Observable.of(1, 2).asSingle())
        hear(Observable<Int>.empty().asSingle())
        hear(Observable.of(1, 2).first())
        hear(Observable<Int>.empty().first())
        hear(Observable.of(1, 2).toArray())
        XCTAssertEqual(
            log.filter { $0 != "disposed" },
            [
                "failure \(RxError.moreThanOneElement)", "failure \(RxError.noElements)", "Optional(1)", "nil",
                "[1, 2]",
            ])
    }

    func testTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start {
            Single.just(1).delay(.seconds(10), scheduler: scheduler).timeout(.seconds(50), scheduler: scheduler)
        }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(211)])
        let other = TestScheduler(initialClock: 0)
        let slow = other.start {
            Single<Int>.never().timeout(.seconds(50), other: Single.just(9), scheduler: other)
        }
        XCTAssertEqual(slow.events, [.next(250, 9), .completed(250)])
    }

    func testAnUnfinishedSingleIsGivenUp() {
        let single = Single<Int>.create { _ in Disposables.create { self.log.append("end") } }
        single.subscribe(onDisposed: { self.log.append("disposed") }).dispose()
        XCTAssertEqual(log, ["end", "disposed"])
    }

    func testRetry() {
        var attempts = 0
        let single = Single<Int>.deferred {
            attempts += 1
            return attempts < 3 ? .error(TestError.one) : .just(attempts)
        }
        hear(single.retry(3))
        attempts = 0
        hear(single.retry())
        attempts = 0
        hear(single.retry(2))
        attempts = 0
        hear(single.retry(when: { (errors: Observable<Error>) in errors.map { _ in () } }))
        XCTAssertEqual(log.filter { $0 != "disposed" }, ["3", "3", "failure one", "3"])
    }

    func testWhatCameLater() {
        hear(Single.zip(Single.just(1), Single.just(2)).map { $0.0 + $0.1 })
        hear(Single.zip([Single.just(1), Single.just(2)]))
        hear(Single.zip([Single.just(1), Single.just(2)]) { $0.reduce(0, +) })
        hear(Single.zip(Single.just(1), .just(2), .just(3)) { $0 + $1 + $2 })
        hear(Single.zip(Single.just(1), .just(2), .just(3), .just(4)) { $0 + $1 + $2 + $3 })
        XCTAssertEqual(log.filter { $0 != "disposed" }, ["3", "[1, 2]", "3", "6", "10"])
        Single.just(1).subscribe(
            with: self, onSuccess: { owner, value in owner.log.append("with \(value)") },
            onFailure: { _, _ in }, onDisposed: { $0.log.append("with disposed") }
        ).disposed(by: bag)
        XCTAssertEqual(log.suffix(2), ["with 1", "with disposed"])
        let scheduler = TestScheduler(initialClock: 0)
        let timer = scheduler.start { Single<Int>.timer(.seconds(30), scheduler: scheduler) }
        XCTAssertEqual(timer.events, [.next(230, 0), .completed(230)])
        let debugged: Single<Int> = Single.just(1).debug("single", trimOutput: true)
        hear(debugged)
        let infallible: Infallible<Int> = Single.just(1).asInfallible(onErrorJustReturn: 0)
        infallible.subscribe(onNext: { _ in }).disposed(by: bag)
    }
}
