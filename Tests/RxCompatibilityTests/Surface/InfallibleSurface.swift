import Foundation
import Rx
import RxTest
import XCTest

private final class Owner { let id = 5 }

final class InfallibleSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    func testMakers() {
        let created: Infallible<Int> = Infallible.create { (observer: @escaping Infallible<Int>.InfallibleObserver) in
            observer(.next(1))
            observer(.completed)
            return Disposables.create()
        }
        let event: InfallibleEvent<Int> = .next(1)
        XCTAssertEqual(event.event, .next(1))
        let scheduler = CurrentThreadScheduler.instance
        let numbers: [Infallible<Int>] = [
            created, .just(1), .just(1, scheduler: scheduler), .of(1), .of(1, scheduler: scheduler), .from([1]),
            .from(Set([1])), .from(optional: 1), .deferred { .just(1) }, .range(start: 1, count: 1),
            Observable<Int>.error(testError).asInfallible(onErrorJustReturn: 1),
            Observable<Int>.error(testError).asInfallible(onErrorFallbackTo: .just(1)),
            Observable<Int>.error(testError).asInfallible { (_: Swift.Error) -> Infallible<Int> in .just(1) },
            Single<Int>.error(testError).asInfallible(onErrorJustReturn: 1),
            Infallible.just(1).asInfallible(onErrorJustReturn: 2),
        ]
        for stream in numbers { XCTAssertEqual(all(stream), [1]) }
        XCTAssertEqual(all(Infallible<Int>.empty()), [])
        XCTAssertThrowsError(try Infallible<Int>.never().toBlocking(timeout: 0).first())
        let virtual = TestScheduler(initialClock: 0)
        XCTAssertEqual(
            virtual.start(disposed: 225) { Infallible<Int>.interval(.seconds(10), scheduler: virtual) }.events,
            [.next(210, 0), .next(220, 1)])
        let second = TestScheduler(initialClock: 0)
        let timer = Infallible<Int>.timer(.seconds(10), period: nil, scheduler: second)
        XCTAssertEqual(second.start { timer }.events, [.next(210, 0), .completed(210)])
    }

    func testSubscribing() {
        var log: [String] = []
        let owner = Owner()
        let xs = Infallible.of(1)
        _ = xs.subscribe()
        _ = xs.subscribe(onNext: { (x: Int) in log.append("n\(x)") })
        _ = xs.subscribe(
            onNext: { log.append("n\($0)") }, onCompleted: { log.append("c") }, onDisposed: { log.append("d") })
        _ = xs.subscribe(
            with: owner, onNext: { (_: Owner, x: Int) in log.append("w\(x)") }, onCompleted: { _ in log.append("wc") },
            onDisposed: { _ in log.append("wd") })
        _ = xs.subscribe { event in log.append("\(event)") }
        _ = xs.subscribe(AnyObserver { log.append("o\($0)") })
        let relay = BehaviorRelay(value: 0)
        _ = xs.bind(to: relay)
        _ = xs.bind(onNext: { log.append("b\($0)") })
        _ = xs.bind(with: owner) { owner, x in log.append("b\(owner.id + x)") }
        XCTAssertEqual(
            log,
            [
                "n1", "n1", "c", "d", "w1", "wc", "wd", "next(1)", "completed", "onext(1)", "ocompleted", "b1", "b6",
            ])
        XCTAssertEqual(relay.value, 1)
    }

    func testEventsOfBothKinds() {
        var log: [String] = []
        var events: [Event<Int>] = []
        let xs = Infallible.of(1)
        _ = xs.subscribe { (event: Event<Int>) in log.append("e\(event)") }
        _ = xs.subscribe { (event: InfallibleEvent<Int>) in log.append("i\(event)") }
        _ = xs.subscribe { events.append($0) }
        _ = xs.subscribe { event in
            switch event {
            case .next(let value): log.append("n\(value)")
            case .completed: log.append("c")
            }
        }
        _ = xs.subscribe { event in
            switch event {
            case .next(let value): log.append("n\(value)")
            case .error: log.append("never")
            case .completed: log.append("c")
            }
        }
        XCTAssertEqual(log, ["enext(1)", "ecompleted", "inext(1)", "icompleted", "n1", "c", "n1", "c"])
        XCTAssertEqual(events, [.next(1), .completed])
    }

    func testOperators() {
        let xs = Infallible.of(1, 1, 2, 3)
        let ys: Infallible<String> = xs.map { (x: Int) -> String in "\(x)" }
        XCTAssertEqual(all(ys), ["1", "1", "2", "3"])
        XCTAssertEqual(all(xs.compactMap { (x: Int) -> String? in x > 2 ? "y" : nil }), ["y"])
        XCTAssertEqual(all(xs.filter { $0 > 1 }), [2, 3])
        XCTAssertEqual(all(xs.distinctUntilChanged()), [1, 2, 3])
        XCTAssertEqual(all(xs.distinctUntilChanged { (x: Int) -> Int in x % 2 }), [1, 2, 3])
        XCTAssertEqual(all(xs.distinctUntilChanged { (l: Int, r: Int) -> Bool in l == r }), [1, 2, 3])
        XCTAssertEqual(all(xs.distinctUntilChanged({ $0 }, comparer: { $0 == $1 })), [1, 2, 3])
        XCTAssertEqual(all(xs.distinctUntilChanged(at: \.description)), [1, 2, 3])
        XCTAssertEqual(all(xs.flatMap { (x: Int) -> Infallible<Int> in .of(x, x) }).count, 8)
        XCTAssertEqual(all(xs.flatMapLatest { Infallible.just($0) }).last, 3)
        XCTAssertEqual(all(xs.flatMapFirst { Infallible.just($0) }), [1, 1, 2, 3])
        XCTAssertEqual(all(xs.concatMap { Infallible.just($0) }), [1, 1, 2, 3])
        XCTAssertEqual(all(xs.scan(0) { $0 + $1 }), [1, 2, 4, 7])
        XCTAssertEqual(all(xs.scan(into: 0) { (sum: inout Int, x: Int) -> Void in sum += x }), [1, 2, 4, 7])
        XCTAssertEqual(all(xs.startWith(0).take(2)), [0, 1])
        XCTAssertEqual(all(xs.take(while: { $0 < 2 }, behavior: .inclusive)), [1, 1, 2])
        XCTAssertEqual(all(xs.take(until: { $0 > 1 })), [1, 1])
        XCTAssertEqual(all(xs.take(until: Infallible<Int>.never()).skip(3)), [3])
        XCTAssertEqual(all(xs.take(until: Observable<Int>.never()).skip(while: { $0 < 3 })), [3])
        XCTAssertEqual(all(xs.skip(until: Observable.just(1))), [1, 1, 2, 3])
        XCTAssertEqual(all(xs.ifEmpty(default: 1).count()), [4])
        XCTAssertEqual(all(Infallible<Int>.empty().ifEmpty(switchTo: .just(1))), [1])
        XCTAssertEqual(all(xs.share(replay: 1, scope: .whileConnected).debug("name")).count, 4)
        XCTAssertEqual(all(xs.observe(on: CurrentThreadScheduler.instance)).count, 4)
        XCTAssertEqual(all(xs.subscribe(on: CurrentThreadScheduler.instance)).count, 4)
    }

    func testCombining() {
        let a = Infallible.just(1)
        let b = Infallible.of("x", "y")
        XCTAssertEqual(
            all(Infallible.combineLatest(a, b) { (l: Int, r: String) -> String in "\(l)\(r)" }), ["1x", "1y"])
        let tuples: Infallible<(Int, String)> = Infallible.combineLatest(a, b)
        let zipped: Infallible<(Int, String)> = Infallible.zip(a, b)
        XCTAssertEqual(all(tuples).count + all(zipped).count, 3)
        XCTAssertEqual(all(Infallible.zip(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }), [8])
        XCTAssertEqual(all(Infallible.combineLatest([a, a]) { $0.reduce(0, +) }), [2])
        XCTAssertEqual(all(Infallible.combineLatest([a, a])), [[1, 1]])
        XCTAssertEqual(all(Infallible.zip([a, a])), [[1, 1]])
        XCTAssertEqual(all(Infallible.concat([a, a])) + all(Infallible.concat(a, a)), [1, 1, 1, 1])
        XCTAssertEqual(all(a.concat(a)), [1, 1])
        XCTAssertEqual(all(Infallible.merge([a, a])) + all(Infallible.merge(a, a)), [1, 1, 1, 1])
        XCTAssertEqual(all(b.withLatestFrom(a) { (l: String, r: Int) -> String in l + "\(r)" }), ["x1", "y1"])
        XCTAssertEqual(all(b.withLatestFrom(a)), [1, 1])
        let owner = Owner()
        let pairs: Infallible<(Owner, Int)> = a.withUnretained(owner)
        XCTAssertEqual(all(pairs.map { $0.id + $1 }), [6])
        XCTAssertEqual(all(a.withUnretained(owner) { (o: Owner, x: Int) -> Int in o.id * x }), [5])
    }

    func testTimeAndHooks() {
        let scheduler = TestScheduler(initialClock: 0)
        let relay = PublishRelay<Int>()
        let xs = relay.asInfallible()
        let time: RxTimeInterval = .seconds(10)
        let observers = (0..<4).map { _ in scheduler.createObserver(Int.self) }
        let bag = DisposeBag()
        xs.debounce(time, scheduler: scheduler).subscribe(observers[0]).disposed(by: bag)
        xs.throttle(time, latest: true, scheduler: scheduler).subscribe(observers[1]).disposed(by: bag)
        xs.delay(time, scheduler: scheduler).subscribe(observers[2]).disposed(by: bag)
        xs.take(for: time, scheduler: scheduler).subscribe(observers[3]).disposed(by: bag)
        scheduler.scheduleAt(5) { relay.accept(1) }
        scheduler.scheduleAt(8) { relay.accept(2) }
        scheduler.start()
        XCTAssertEqual(observers[0].events, [.next(18, 2)])
        XCTAssertEqual(observers[1].events, [.next(5, 1), .next(15, 2)])
        XCTAssertEqual(observers[2].events, [.next(15, 1), .next(18, 2)])
        XCTAssertEqual(observers[3].events, [.next(5, 1), .next(8, 2), .completed(10)])
        var log: [String] = []
        _ = Infallible.just(1).do(
            onNext: { (x: Int) in log.append("n\(x)") }, afterNext: { log.append("an\($0)") },
            onCompleted: { log.append("c") }, afterCompleted: { log.append("ac") }, onSubscribe: { log.append("s") },
            onSubscribed: { log.append("sd") }, onDispose: { log.append("d") }
        ).subscribe()
        XCTAssertEqual(log, ["s", "n1", "an1", "c", "ac", "sd", "d"])
    }
}

extension InfallibleType {
    fileprivate func count() -> Infallible<Int> {
        asObservable().reduce(0) { count, _ in count + 1 }.asInfallible(onErrorJustReturn: 0)
    }
}
