import Foundation
import Rx
import RxTest
import XCTest

private final class Owner {}

/// `PrimitiveSequence` and the operators that all traits have.
final class TraitsSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    func testTypesOfTraits() {
        let single: PrimitiveSequence<SingleTrait, Int> = Single.just(1)
        let maybe: PrimitiveSequence<MaybeTrait, Int> = Maybe.just(1)
        let completable: PrimitiveSequence<CompletableTrait, Swift.Never> = Completable.empty()
        func unwrap<T: PrimitiveSequenceType>(_ t: T) -> PrimitiveSequence<T.Trait, T.Element> { t.primitiveSequence }
        XCTAssertEqual(all(unwrap(single)) + all(unwrap(maybe)), [1, 1])
        XCTAssertEqual(all(unwrap(completable)).count, 0)
        let success: SingleEvent<Int> = Result<Int, Swift.Error>.success(1)
        let observer: Single<Int>.SingleObserver = { (_: SingleEvent<Int>) in }
        let maybeObserver: Maybe<Int>.MaybeObserver = { (_: MaybeEvent<Int>) in }
        let completableObserver: Completable.CompletableObserver = { (_: CompletableEvent) in }
        observer(success)
        maybeObserver(.completed)
        completableObserver(.error(testError))
    }

    func testSinglesOfAllMakes() {
        var log: [String] = []
        let owner = Owner()
        let created: Single<Int> = Single.create { (single: @escaping Single<Int>.SingleObserver) -> Disposable in
            single(.success(1))
            single(.failure(testError))
            return Disposables.create()
        }
        let failed = Single<Int>.create { observer in
            observer(.failure(testError))
            return Disposables.create()
        }
        _ = created.subscribe { (event: SingleEvent<Int>) in
            switch event {
            case .success(let value): log.append("success \(value)")
            case .failure(let error): log.append("failure \(error)")
            }
        }
        _ = created.subscribe()
        _ = created.subscribe(onSuccess: { log.append("s\($0)") })
        _ = failed.subscribe(
            onSuccess: { _ in }, onFailure: { (_: Swift.Error) in log.append("f") }, onDisposed: { log.append("d") })
        _ = created.subscribe(
            with: owner, onSuccess: { (_: Owner, x: Int) in log.append("w\(x)") }, onFailure: { _, _ in },
            onDisposed: { _ in log.append("wd") })
        _ = created.subscribe(with: owner) { _, x in log.append("t\(x)") }
        XCTAssertEqual(log, ["success 1", "s1", "f", "d", "w1", "wd", "t1"])
        let all: [Single<Int>] = [
            .just(1), .just(1, scheduler: CurrentThreadScheduler.instance), .error(testError), .never(),
            .deferred { () throws -> Single<Int> in .just(1) },
            .using({ BooleanDisposable() }, primitiveSequenceFactory: { (_: BooleanDisposable) in Single.just(1) }),
            .zip(Single.just(1), Single.just("a")) { (a: Int, b: String) throws -> Int in a },
            .timer(.milliseconds(0), scheduler: TestScheduler(initialClock: 0)),
        ]
        XCTAssertEqual(all.count, 8)
    }

    func testOperatorsOfSingle() {
        let xs = Single.just(2)
        XCTAssertEqual(all(xs.map { (x: Int) throws -> String in "\(x)" }), ["2"])
        let filtered: Maybe<Int> = xs.filter { (x: Int) throws -> Bool in x > 2 }
        let compacted: Maybe<String> = xs.compactMap { (x: Int) throws -> String? in x > 1 ? "y" : nil }
        let mapped: Single<String> = xs.flatMap { (x: Int) throws -> Single<String> in .just("\(x)") }
        let maybe: Maybe<String> = xs.flatMapMaybe { (x: Int) throws -> Maybe<String> in .empty() }
        let completable: Completable = xs.flatMapCompletable { (x: Int) throws -> Completable in .empty() }
        XCTAssertEqual(all(filtered), [])
        XCTAssertEqual(all(compacted) + all(mapped) + all(maybe), ["y", "2"])
        XCTAssertEqual(all(completable).count + all(xs.asCompletable()).count, 0)
        XCTAssertEqual(all(xs.asMaybe()), [2])
        let failing = Single<Int>.error(testError)
        XCTAssertEqual(all(failing.catchAndReturn(3)), [3])
        XCTAssertEqual(all(failing.catch { (_: Swift.Error) throws -> Single<Int> in .just(4) }), [4])
        let array: Single<[Int]> = Single.zip([xs, xs])
        let sum: Single<Int> = Single<Int>.zip([xs, xs]) { (values: [Int]) throws -> Int in values.reduce(0, +) }
        XCTAssertEqual(all(array), [[2, 2]])
        XCTAssertEqual(all(sum), [4])
        let tuple: Single<(Int, String)> = Single.zip(xs, Single.just("a"))
        XCTAssertEqual(all(tuple)[0].1, "a")
        let eight = Single.zip(xs, xs, xs, xs, xs, xs, xs, xs) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        XCTAssertEqual(all(eight), [16])
    }

    func testHooksOfTraits() {
        var log: [String] = []
        _ = Single.just(1).do(
            onSuccess: { (x: Int) throws -> Void in log.append("s\(x)") }, afterSuccess: { log.append("as\($0)") },
            onError: { _ in }, afterError: { _ in }, onSubscribe: { log.append("sub") },
            onSubscribed: { log.append("subd") }, onDispose: { log.append("d") }
        ).subscribe { _ in log.append("heard") }
        XCTAssertEqual(log, ["sub", "s1", "heard", "as1", "subd", "d"])
        log = []
        _ = Maybe.just(1).do(
            onNext: { log.append("n\($0)") }, afterNext: { log.append("an\($0)") }, onError: { _ in },
            afterError: { _ in }, onCompleted: { log.append("c") }, afterCompleted: { log.append("ac") },
            onSubscribe: {}, onSubscribed: {}, onDispose: { log.append("d") }
        ).subscribe { _ in log.append("heard") }
        XCTAssertEqual(log.filter { $0 != "heard" }, ["n1", "an1", "c", "ac", "d"])
        log = []
        _ = Completable.empty().do(
            onError: { _ in }, afterError: { _ in }, onCompleted: { log.append("c") },
            afterCompleted: { log.append("ac") }, onSubscribe: {}, onSubscribed: {}, onDispose: { log.append("d") }
        ).subscribe { _ in log.append("heard") }
        XCTAssertEqual(log.filter { $0 != "d" }, ["c", "heard", "ac"])
    }

    func testMaybes() {
        var log: [String] = []
        let owner = Owner()
        let created = Maybe<Int>.create { maybe in
            maybe(.success(1))
            maybe(.completed)
            return Disposables.create()
        }
        _ = created.subscribe { (event: MaybeEvent<Int>) in log.append("\(event)") }
        _ = created.subscribe(onSuccess: { log.append("s\($0)") }, onCompleted: { log.append("never") })
        _ = Maybe<Int>.empty().subscribe(
            onSuccess: { _ in }, onError: { _ in }, onCompleted: { log.append("c") }, onDisposed: { log.append("d") })
        _ = Maybe<Int>.error(testError).subscribe(
            with: owner, onSuccess: { _, _ in }, onError: { (_: Owner, _: Swift.Error) in log.append("we") },
            onCompleted: { _ in }, onDisposed: { _ in log.append("wd") })
        XCTAssertEqual(log, ["success(1)", "s1", "c", "d", "we", "wd"])
        let empty = Maybe<Int>.empty()
        let one: Single<Int> = empty.ifEmpty(default: 5)
        let two: Maybe<Int> = empty.ifEmpty(switchTo: Maybe.just(6))
        let three: Single<Int> = empty.ifEmpty(switchTo: Single.just(7))
        XCTAssertEqual(all(one) + all(two) + all(three), [5, 6, 7])
        XCTAssertEqual(all(Maybe.just(1, scheduler: CurrentThreadScheduler.instance).map { $0 + 1 }), [2])
        XCTAssertEqual(all(Maybe.just(1).flatMap { Maybe.just($0 + 2) }), [3])
        XCTAssertEqual(all(Maybe.just(1).filter { $0 > 1 }.catchAndReturn(4)), [])
        XCTAssertEqual(all(Maybe.just(1).compactMap { "\($0)" }), ["1"])
        XCTAssertEqual(all(Maybe.just(1).asSingle()), [1])
        XCTAssertEqual(all(Maybe.just(1).asCompletable()).count, 0)
        XCTAssertEqual(all(Maybe.just(1).flatMapCompletable { _ in Completable.empty() }).count, 0)
        let zipped: Maybe<Int> = Maybe.zip(Maybe.just(1), Maybe.just(2)) { $0 + $1 }
        let tuple: Maybe<(Int, String)> = Maybe.zip(Maybe.just(1), Maybe.just("b"))
        XCTAssertEqual(all(zipped), [3])
        XCTAssertEqual(all(tuple)[0].1, "b")
        XCTAssertEqual(all(Maybe.zip(Maybe<Int>.empty(), Maybe.just(2)) { $0 + $1 }), [])
    }

    func testCompletables() {
        var log: [String] = []
        let owner = Owner()
        let created = Completable.create { completable in
            completable(.completed)
            return Disposables.create()
        }
        _ = created.subscribe { (event: CompletableEvent) in log.append("\(event)") }
        _ = created.subscribe(onCompleted: { log.append("c") }, onError: { _ in }, onDisposed: { log.append("d") })
        _ = Completable.error(testError).subscribe(
            with: owner, onCompleted: { _ in }, onError: { (_: Owner, _: Swift.Error) in log.append("we") },
            onDisposed: { _ in log.append("wd") })
        XCTAssertEqual(log, ["completed", "c", "d", "we", "wd"])
        let done = Completable.empty()
        let completables: [Completable] = [
            done.concat(done), .concat([done, done]), .concat(AnySequence([done])), .concat(done, done),
            .zip([done, done]), .zip(done, done), .zip(AnyCollection([done])), done.andThen(done),
            Observable<Never>.empty().asCompletable(), done.asObservable().asCompletable(),
        ]
        for completable in completables { XCTAssertEqual(all(completable).count, 0) }
        let single: Single<Int> = done.andThen(.just(1))
        let maybe: Maybe<Int> = done.andThen(Maybe.just(2))
        let observable: Observable<Int> = done.andThen(Observable.of(3, 4))
        let never: Completable = .never()
        XCTAssertEqual(all(single) + all(maybe) + all(observable), [1, 2, 3, 4])
        XCTAssertThrowsError(try never.toBlocking(timeout: 0).last())
        XCTAssertEqual(all(done.asMaybe()).count, 0)
    }

    func testTimeOfTraits() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let single: Single<Int> = xs.asSingle()
        let forms: [(Single<Int>, [Recorded<Event<Int>>])] = [
            (single, [.next(220, 1), .completed(220)]),
            (single.delay(.seconds(10), scheduler: scheduler), [.next(230, 1), .completed(231)]),
            (single.delaySubscription(.seconds(10), scheduler: scheduler), [.next(230, 1), .completed(230)]),
            (single.observe(on: scheduler), [.next(221, 1), .completed(222)]),
            (single.subscribe(on: scheduler), [.next(221, 1), .completed(221)]),
            (single.timeout(.seconds(5), scheduler: scheduler), [.error(205, RxError.timeout)]),
            (
                single.timeout(.seconds(5), other: Single.just(9), scheduler: scheduler),
                [.next(205, 9), .completed(205)]
            ),
            (single.debug("trait", trimOutput: true), [.next(220, 1), .completed(220)]),
            (Single<Int>.timer(.seconds(30), scheduler: scheduler), [.next(230, 0), .completed(230)]),
        ]
        let observers = forms.map { _ in scheduler.createObserver(Int.self) }
        scheduler.scheduleAt(200) {
            for (form, observer) in zip(forms, observers) { _ = form.0.asObservable().subscribe(observer) }
        }
        scheduler.start()
        for (form, observer) in zip(forms, observers) { XCTAssertEqual(observer.events, form.1) }
    }

    func testRetryingTraits() {
        var attempts = 0
        let failing = Single<Int>.deferred {
            attempts += 1
            return attempts % 3 == 0 ? .just(attempts) : .error(testError)
        }
        XCTAssertEqual(all(failing.retry()), [3])
        XCTAssertEqual(all(failing.retry(3)), [6])
        XCTAssertEqual(all(failing.retry { (errors: Observable<Swift.Error>) in errors.map { _ in 0 } }), [9])
        XCTAssertEqual(all(failing.retry(when: { (errors: Observable<NSError>) in errors })), [12])
    }
}
