import Foundation
import Rx
import RxTest
import XCTest

private final class Owner { let id = 5 }

final class CombineSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    private func hot(_ scheduler: TestScheduler, _ time: Int, _ value: Int) -> TestableObservable<Int> {
        scheduler.createHotObservable([.next(150, 1), .next(time, value), .completed(400)])
    }

    func testCombineLatestOfAllArities() {
        let s = TestScheduler(initialClock: 0)
        let e = (0..<8).map { hot(s, 210 + 10 * $0, $0 + 1) }
        let streams: [Observable<Int>] = [
            Observable.combineLatest(e[0], e[1]) { (e0: Int, e1: Int) -> Int in e0 + e1 },
            Observable<Int>.combineLatest(e[0], e[1], e[2]) { $0 + $1 + $2 },
            Observable<Int>.combineLatest(e[0], e[1], e[2], e[3]) { (e0, e1, e2, e3) in e0 + e1 + e2 + e3 },
            Observable<Int>.combineLatest(e[0], e[1], e[2], e[3], e[4]) {
                (e0: Int, e1: Int, e2: Int, e3: Int, e4: Int) -> Int in
                e0 + e1 + e2 + e3 + e4
            },
            Observable<Int>.combineLatest(e[0], e[1], e[2], e[3], e[4], e[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
            Observable<Int>.combineLatest(e[0], e[1], e[2], e[3], e[4], e[5], e[6]) {
                $0 + $1 + $2 + $3 + $4 + $5 + $6
            },
            Observable<Int>.combineLatest(
                e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7],
                resultSelector: { a, b, c, d, e, f, g, h in a + b + c + d + e + f + g + h }),
        ]
        let observers = streams.map { stream -> TestableObserver<Int> in
            let observer = s.createObserver(Int.self)
            s.scheduleAt(Defaults.subscribed) { _ = stream.subscribe(observer) }
            return observer
        }
        s.start()
        let sums = [3, 6, 10, 15, 21, 28, 36]
        for (index, observer) in observers.enumerated() {
            XCTAssertEqual(observer.events, [.next(220 + 10 * index, sums[index]), .completed(400)])
        }
        for stream in e { XCTAssertTrue(stream.subscriptions.allSatisfy { $0 == Subscription(200, 400) }) }
    }

    func testZipOfAllArities() {
        let s = TestScheduler(initialClock: 0)
        let e = (0..<8).map { hot(s, 210 + 10 * $0, $0 + 1) }
        let streams: [Observable<Int>] = [
            Observable.zip(e[0], e[1]) { (e0: Int, e1: Int) -> Int in e0 + e1 },
            Observable<Int>.zip(e[0], e[1], e[2]) { $0 + $1 + $2 },
            Observable<Int>.zip(e[0], e[1], e[2], e[3]) { $0 + $1 + $2 + $3 },
            Observable<Int>.zip(e[0], e[1], e[2], e[3], e[4]) { $0 + $1 + $2 + $3 + $4 },
            Observable<Int>.zip(e[0], e[1], e[2], e[3], e[4], e[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
            Observable<Int>.zip(e[0], e[1], e[2], e[3], e[4], e[5], e[6]) { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
            Observable<Int>.zip(
                e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7],
                resultSelector: { a, b, c, d, e, f, g, h in a + b + c + d + e + f + g + h }),
        ]
        let observers = streams.map { stream -> TestableObserver<Int> in
            let observer = s.createObserver(Int.self)
            s.scheduleAt(Defaults.subscribed) { _ = stream.subscribe(observer) }
            return observer
        }
        s.start()
        let sums = [3, 6, 10, 15, 21, 28, 36]
        for (index, observer) in observers.enumerated() {
            XCTAssertEqual(observer.events, [.next(220 + 10 * index, sums[index]), .completed(400)])
        }
    }

    func testTuplesOfAllArities() {
        let a = Observable.of(1), b = Observable.of("b"), c = Observable.of(true), d = Observable.of(2.5)
        let two: Observable<(Int, String)> = Observable.combineLatest(a, b)
        let three: Observable<(Int, String, Bool)> = Observable.combineLatest(a, b, c)
        let four: Observable<(Int, String, Bool, Double)> = Observable.combineLatest(a, b, c, d)
        let five = Observable.combineLatest(a, b, c, d, a)
        let six = Observable.combineLatest(a, b, c, d, a, b)
        let seven = Observable.combineLatest(a, b, c, d, a, b, c)
        let eight: Observable<(Int, String, Bool, Double, Int, String, Bool, Double)> = Observable.combineLatest(
            a, b, c, d, a, b, c, d)
        XCTAssertEqual(all(two)[0].1 + "\(all(three)[0].2)", "btrue")
        XCTAssertEqual([all(four)[0].3, all(eight)[0].7], [2.5, 2.5])
        XCTAssertEqual([all(five).count, all(six).count, all(seven).count], [1, 1, 1])
        let zip2: Observable<(Int, String)> = Observable.zip(a, b)
        let zip3 = Observable.zip(a, b, c)
        let zip4 = Observable.zip(a, b, c, d)
        let zip5 = Observable.zip(a, b, c, d, a)
        let zip6 = Observable.zip(a, b, c, d, a, b)
        let zip7 = Observable.zip(a, b, c, d, a, b, c)
        let zip8: Observable<(Int, String, Bool, Double, Int, String, Bool, Double)> = Observable.zip(
            a, b, c, d, a, b, c, d)
        XCTAssertEqual(all(zip2)[0].1 + all(zip3)[0].1 + all(zip4)[0].1 + all(zip5)[0].1, "bbbb")
        XCTAssertEqual([all(zip6)[0].5, all(zip7)[0].5, all(zip8)[0].5], ["b", "b", "b"])
    }

    func testLatestFromAndStartingWith() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
        let ys = scheduler.createHotObservable([.next(220, "a"), .completed(240)])
        let pairs = scheduler.createObserver(String.self)
        let latest = scheduler.createObserver(String.self)
        let started = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = xs.withLatestFrom(ys) { (x: Int, y: String) throws -> String in "\(x)\(y)" }.subscribe(pairs)
            _ = xs.withLatestFrom(ys).subscribe(latest)
            _ = xs.startWith(7, 8).subscribe(started)
        }
        scheduler.start()
        XCTAssertEqual(pairs.events, [.next(230, "2a"), .completed(300)])
        XCTAssertEqual(latest.events, [.next(230, "a"), .completed(300)])
        XCTAssertEqual(
            started.events, [.next(200, 7), .next(200, 8), .next(210, 1), .next(230, 2), .completed(300)])
        XCTAssertEqual(ys.subscriptions, [Subscription(200, 240), Subscription(200, 240)])
    }

    func testConcatWithAnyKindOfStream() {
        XCTAssertEqual(all(Observable.of(1).concat(Observable.of(2))), [1, 2])
        XCTAssertEqual(all(Observable.of(1).concat(Single.just(2))), [1, 2])
        XCTAssertEqual(all(Observable.of(1).concat(Infallible.just(2)).startWith(0)), [0, 1, 2])
        XCTAssertEqual(all(Observable.of(Observable.just(1), Observable.just(2)).concat()), [1, 2])
    }

    func testUnretainedObjects() {
        var owner: Owner? = Owner()
        let subject = PublishSubject<Int>()
        var log: [String] = []
        let pairs: Observable<(Owner, Int)> = subject.withUnretained(owner!)
        let sums: Observable<Int> = subject.withUnretained(owner!) { (o: Owner, value: Int) in o.id + value }
        let bag = DisposeBag()
        pairs.subscribe(onNext: { o, v in log.append("\(o.id)\(v)") }, onCompleted: { log.append("end") })
            .disposed(by: bag)
        sums.subscribe { (event: Event<Int>) in log.append("\(event)") }.disposed(by: bag)
        subject.onNext(1)
        owner = nil
        subject.onNext(2)
        XCTAssertEqual(log, ["51", "next(6)", "end", "completed"])
    }
}
