import Rx
import RxTest
import XCTest

private class Person {
    var name: String
    init(_ name: String) { self.name = name }
}

private struct Point: Equatable {
    var x = 0
    var y = 0
}

/// Expressions without type annotations, for which the compiler must infer the types.
final class InferenceTests: XCTestCase {
    private let disposeBag = DisposeBag()
    private var total = 0

    private func all<Stream: ObservableConvertibleType>(_ stream: Stream) -> [Stream.Element] {
        var found: [Stream.Element] = []
        stream.asObservable().subscribe(onNext: { found.append($0) }).disposed(by: disposeBag)
        return found
    }

    func testCreation() {
        XCTAssertEqual(all(Observable.of(1, 2, 3)), [1, 2, 3])
        XCTAssertEqual(all(Observable.from([1, 2, 3])), [1, 2, 3])
        XCTAssertEqual(all(Observable<Int>.from([1, 2, 3])), [1, 2, 3])
        XCTAssertEqual(all(Observable.from(1...3)), [1, 2, 3])
        XCTAssertEqual(all(Observable.from(["a": 1]).map { $0.value }), [1])
        XCTAssertEqual(all(Observable.from(optional: 1 as Int?)), [1])
        XCTAssertEqual(all(Observable<Int>.from(optional: nil)), [])
        XCTAssertEqual(all(Observable.just("a")), ["a"])
        XCTAssertEqual(all(Observable<Int>.empty()), [])
        XCTAssertEqual(all(Observable.range(start: 1, count: 3)), [1, 2, 3])
        XCTAssertEqual(all(Observable.deferred { .just(1) }), [1])
        XCTAssertEqual(all(Observable<Int>.deferred { Observable.just(1) }), [1])
        let contextual: Observable<[Int]> = .just([])
        XCTAssertEqual(all(contextual), [[]])
        let created = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.on(.next(2))
            observer.onCompleted()
            return Disposables.create()
        }
        XCTAssertEqual(all(created), [1, 2])
    }

    func testStaticCombinators() {
        let a = Observable.of(1, 2)
        let b = Observable.of(10, 20)
        XCTAssertEqual(all(Observable.merge(a, b)), [1, 10, 2, 20])
        XCTAssertEqual(all(Observable.merge([a, b])), [1, 10, 2, 20])
        XCTAssertEqual(all(Observable.concat(a, b)), [1, 2, 10, 20])
        XCTAssertEqual(all(Observable.concat([a, b])), [1, 2, 10, 20])
        XCTAssertEqual(all(a.concat(b)), [1, 2, 10, 20])
        XCTAssertEqual(all(Observable.zip(a, b) { $0 + $1 }), [11, 22])
        XCTAssertEqual(all(Observable.zip(a, b, resultSelector: +)), [11, 22])
        XCTAssertEqual(all(Observable.zip(a, b)).map { $0.0 + $0.1 }, [11, 22])
        XCTAssertEqual(all(Observable.zip([a, b]) { $0.reduce(0, +) }), [11, 22])
        XCTAssertEqual(all(Observable.zip([a, b])), [[1, 10], [2, 20]])
        XCTAssertEqual(all(Observable.combineLatest(a, b) { $0 + $1 }), [11, 12, 22])
        XCTAssertEqual(all(Observable.combineLatest([a, b]) { $0.reduce(0, +) }), [11, 12, 22])
        XCTAssertEqual(all(Observable.combineLatest(a, b)).map { $0.0 * $0.1 }, [10, 20, 40])
        XCTAssertEqual(all(Observable.amb([a, b])), [1, 2])
        XCTAssertEqual(all(a.amb(b)), [1, 2])
        XCTAssertEqual(all(Observable.of(a, b).merge()), [1, 2, 10, 20])
        XCTAssertEqual(all(Observable.of(a, b).concat()), [1, 2, 10, 20])
        XCTAssertEqual(all(Observable.of(a, b).merge(maxConcurrent: 1)), [1, 2, 10, 20])
        XCTAssertEqual(all(Observable.just(a).switchLatest()), [1, 2])
        XCTAssertEqual(all(a.startWith(0)), [0, 1, 2])
        XCTAssertEqual(all(a.startWith(-1, 0)), [-1, 0, 1, 2])
    }

    func testTransformations() {
        let a = Observable.of(1, 2, 3)
        XCTAssertEqual(all(a.map(String.init)), ["1", "2", "3"])
        XCTAssertEqual(all(a.map { "\($0)" }.map { $0.count }), [1, 1, 1])
        XCTAssertEqual(all(Observable.of("1", "x").compactMap(Int.init)), [1])
        XCTAssertEqual(all(a.flatMap { Observable.of($0, $0 * 10) }).sorted(), [1, 2, 3, 10, 20, 30])
        XCTAssertEqual(all(a.flatMap { Single.just($0) }), [1, 2, 3])
        XCTAssertEqual(all(a.flatMap { $0 == 2 ? Maybe.empty() : Maybe.just($0) }), [1, 3])
        XCTAssertEqual(all(a.concatMap { Observable.of($0, $0 * 10) }), [1, 10, 2, 20, 3, 30])
        XCTAssertEqual(all(a.scan(0, accumulator: +)), [1, 3, 6])
        XCTAssertEqual(all(a.scan(0) { $0 + $1 }), [1, 3, 6])
        XCTAssertEqual(all(a.scan(into: []) { $0.append($1) }), [[1], [1, 2], [1, 2, 3]])
        XCTAssertEqual(all(a.reduce(0, accumulator: +)), [6])
        XCTAssertEqual(all(a.reduce(1, accumulator: *, mapResult: { "\($0)" })), ["6"])
        XCTAssertEqual(all(a.toArray()), [[1, 2, 3]])
        XCTAssertEqual(all(a.materialize().dematerialize()), [1, 2, 3])
        XCTAssertEqual(all(a.materialize().map { $0.element }), [1, 2, 3, nil])
        XCTAssertEqual(all(a.withLatestFrom(Observable.just("a")) { "\($0)\($1)" }), ["1a", "2a", "3a"])
        XCTAssertEqual(all(a.withLatestFrom(Observable.just("a"))), ["a", "a", "a"])
    }

    func testFilters() {
        let a = Observable.of(1, 1, 2, 3)
        XCTAssertEqual(all(a.filter { $0 % 2 == 1 }), [1, 1, 3])
        XCTAssertEqual(all(a.distinctUntilChanged()), [1, 2, 3])
        XCTAssertEqual(all(a.distinctUntilChanged { $0 % 2 }), [1, 2, 3])
        XCTAssertEqual(all(a.distinctUntilChanged { $0 == $1 }), [1, 2, 3])
        XCTAssertEqual(all(a.distinctUntilChanged({ $0 }, comparer: { $0 == $1 })), [1, 2, 3])
        let points = Observable.of(Point(x: 1, y: 1), Point(x: 1, y: 2), Point(x: 2, y: 2))
        XCTAssertEqual(all(points.distinctUntilChanged(at: \.x)), [Point(x: 1, y: 1), Point(x: 2, y: 2)])
        XCTAssertEqual(all(a.take(2)), [1, 1])
        XCTAssertEqual(all(a.take(while: { $0 < 2 })), [1, 1])
        XCTAssertEqual(all(a.take(while: { $0 < 2 }, behavior: .inclusive)), [1, 1, 2])
        XCTAssertEqual(all(a.take(until: { $0 == 2 })), [1, 1])
        XCTAssertEqual(all(a.take(until: { $0 == 2 }, behavior: .inclusive)), [1, 1, 2])
        XCTAssertEqual(all(a.takeLast(2)), [2, 3])
        XCTAssertEqual(all(a.skip(2)), [2, 3])
        XCTAssertEqual(all(a.skip(while: { $0 < 2 })), [2, 3])
        XCTAssertEqual(all(a.element(at: 2)), [2])
        XCTAssertEqual(all(a.first()), [1])
        XCTAssertEqual(all(a.single { $0 == 3 }), [3])
        XCTAssertEqual(all(Observable<Int>.empty().ifEmpty(default: 1)), [1])
        XCTAssertEqual(all(Observable<Int>.empty().ifEmpty(switchTo: a)), [1, 1, 2, 3])
        XCTAssertEqual(all(a.ignoreElements()).count, 0)
    }

    func testTuplesAndOptionals() {
        let pairs = Observable.of((1, "a"), (2, "b"))
        XCTAssertEqual(all(pairs.map { number, text in text + "\(number)" }), ["a1", "b2"])
        XCTAssertEqual(all(pairs.map { $0.1 }), ["a", "b"])
        XCTAssertEqual(all(pairs.filter { $0.0 > 1 }.map { $1 }), ["b"])
        XCTAssertEqual(all(Observable<Int?>.of(1, nil).map { $0 ?? 0 }), [1, 0])
        XCTAssertEqual(all(Observable<Int?>.just(nil)), [nil])
        let named: Observable<(id: Int, name: String)> = .just((id: 1, name: "a"))
        XCTAssertEqual(all(named.map(\.name)), ["a"])
    }

    func testCapturesOfWhatIsNotSendable() {
        var count = 0
        let people = [Person("ann"), Person("bob")]
        Observable.from(people)
            .do(onNext: { person in
                count += 1
                person.name += "!"
            })
            .map(\.name)
            .subscribe(onNext: { name in
                count += name.count
                self.total += 1
            })
            .disposed(by: disposeBag)
        XCTAssertEqual(count, 10)
        XCTAssertEqual(total, 2)
        XCTAssertEqual(people.map(\.name), ["ann!", "bob!"])
    }

    func testSubscribeWithSelf() {
        let source = PublishSubject<Int>()
        source.subscribe(with: self, onNext: { owner, value in owner.total += value }).disposed(by: disposeBag)
        source.subscribe(
            with: self, onNext: { $0.total += $1 }, onError: { owner, _ in owner.total = -1 },
            onCompleted: { owner in owner.total *= 10 }, onDisposed: { _ in }
        ).disposed(by: disposeBag)
        source.onNext(2)
        source.onCompleted()
        XCTAssertEqual(total, 40)
    }

    func testBags() {
        let source = PublishSubject<Int>()
        var bag: DisposeBag? = DisposeBag {
            source.subscribe()
            source.subscribe(onNext: { _ in })
        }
        XCTAssertTrue(source.hasObservers)
        bag = nil
        XCTAssertFalse(source.hasObservers)
        bag = DisposeBag(disposing: source.subscribe(), source.subscribe())
        bag?.insert {
            source.subscribe()
            source.subscribe()
        }
        bag?.insert(source.subscribe(), source.subscribe())
        bag?.insert([source.subscribe()])
        XCTAssertTrue(source.hasObservers)
        bag = nil
        XCTAssertFalse(source.hasObservers)
    }
}
