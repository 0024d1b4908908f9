import Foundation
import Rx
import RxTest
import XCTest

private struct Pair: Decodable, Equatable { let a: Int }

private final class LineDecoder: DataDecoder {
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item {
        guard let item = String(decoding: data, as: UTF8.self) as? Item else { throw testError }
        return item
    }
}

final class TransformSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    func testElements() {
        let xs = Observable.of(1, 2, 3)
        XCTAssertEqual(all(xs.map { (x: Int) throws -> String in "\(x)" }), ["1", "2", "3"])
        XCTAssertEqual(all(xs.compactMap { (x: Int) throws -> String? in x == 2 ? nil : "\(x)" }), ["1", "3"])
        XCTAssertEqual(all(xs.enumerated()).map { $0.index * 10 + $0.element }, [1, 12, 23])
        XCTAssertEqual(all(xs.scan(0) { (acc: Int, x: Int) throws -> Int in acc + x }), [1, 3, 6])
        XCTAssertEqual(all(xs.scan("", accumulator: { $0 + "\($1)" })), ["1", "12", "123"])
        XCTAssertEqual(
            all(xs.scan(into: [Int]()) { (acc: inout [Int], x: Int) throws -> Void in acc.append(x) }).last, [1, 2, 3])
        XCTAssertEqual(all(xs.reduce(0, accumulator: +)), [6])
        XCTAssertEqual(
            all(xs.reduce(1, accumulator: { $0 * $1 }, mapResult: { (x: Int) throws -> String in "\(x)" })), ["6"])
        let array: Single<[Int]> = xs.toArray()
        XCTAssertEqual(all(array), [[1, 2, 3]])
        let events: Observable<Event<Int>> = xs.materialize()
        XCTAssertEqual(all(events), [.next(1), .next(2), .next(3), .completed])
        let values: Observable<Int> = events.dematerialize()
        XCTAssertEqual(all(values), [1, 2, 3])
    }

    func testThrowingSelectorsEndTheStream() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(300)])
        let res = scheduler.start {
            xs.map { value -> Int in
                if value == 2 { throw testError }
                return value
            }
        }
        XCTAssertEqual(res.events, [.next(210, 1), .error(220, testError)])
        XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
    }

    func testInnerStreams() {
        let scheduler = TestScheduler(initialClock: 0)
        func inner(_ value: Int) -> TestableObservable<Int> {
            scheduler.createColdObservable([.next(10, value), .next(30, value * 10), .completed(40)])
        }
        let xs = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(235)])
        let results = [
            scheduler.createObserver(Int.self), scheduler.createObserver(Int.self), scheduler.createObserver(Int.self),
            scheduler.createObserver(Int.self),
        ]
        _ = xs.flatMap { inner($0) }.subscribe(results[0])
        _ = xs.flatMapLatest { (value: Int) throws -> Observable<Int> in inner(value).asObservable() }
            .subscribe(results[1])
        _ = xs.flatMapFirst { inner($0) }.subscribe(results[2])
        _ = xs.concatMap { inner($0) }.subscribe(results[3])
        scheduler.start()
        XCTAssertEqual(
            results[0].events, [.next(220, 1), .next(240, 10), .next(240, 2), .next(260, 20), .completed(270)])
        XCTAssertEqual(results[1].events, [.next(220, 1), .next(240, 2), .next(260, 20), .completed(270)])
        XCTAssertEqual(results[2].events, [.next(220, 1), .next(240, 10), .completed(250)])
        XCTAssertEqual(
            results[3].events, [.next(220, 1), .next(240, 10), .next(260, 2), .next(280, 20), .completed(290)])
    }

    func testStreamsOfHotAndColdStreams() {
        let scheduler = TestScheduler(initialClock: 0)
        let ys1 = scheduler.createColdObservable([.next(10, 101), .next(120, 102), .completed(230)])
        let ys2 = scheduler.createColdObservable([.next(10, 201), .next(20, 202), .completed(50)])
        let xs: TestableObservable<TestableObservable<Int>> = scheduler.createHotObservable(
            Recorded.events(.next(300, ys1), .next(400, ys2), .completed(600)))
        let ofObservables: Observable<Observable<Int>> = xs.map { $0.asObservable() }
        let res = scheduler.start { ofObservables.merge() }
        let messages = Recorded.events(
            .next(310, 101), .next(410, 201), .next(420, 102), .next(420, 202), .completed(600))
        XCTAssertEqual(res.events, messages)
        XCTAssertEqual(ys1.subscriptions, [Subscription(300, 530)])
        XCTAssertEqual(ys2.subscriptions, [Subscription(400, 450)])
        XCTAssertEqual(all(Observable.of(Observable.of(1, 2), .of(3)).merge(maxConcurrent: 1)), [1, 2, 3])
        XCTAssertEqual(all(Observable.of(Observable.of(1, 2), .of(3)).concat()), [1, 2, 3])
        XCTAssertEqual(all(Observable.of(Observable.of(1), .of(3)).switchLatest()).last, 3)
        XCTAssertEqual(all(Observable.of(Single.just(1), .just(2)).merge()), [1, 2])
    }

    func testBuffersAndWindows() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(280, 3), .next(350, 4), .completed(400),
        ])
        let buffers = scheduler.createObserver(EquatableArray<Int>.self)
        let windows = scheduler.createObserver(String.self)
        scheduler.scheduleAt(200) {
            _ = xs.buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler).map(EquatableArray.init)
                .subscribe(buffers)
            _ = xs.window(timeSpan: .seconds(70), count: 2, scheduler: scheduler)
                .enumerated()
                .map { (index: Int, window: Observable<Int>) -> Observable<String> in window.map { "\(index) \($0)" } }
                .merge().subscribe(windows)
        }
        scheduler.start()
        XCTAssertEqual(
            buffers.events,
            [
                .next(220, EquatableArray([1, 2])), .next(290, EquatableArray([3])), .next(360, EquatableArray([4])),
                .next(400, EquatableArray([])), .completed(400),
            ])
        XCTAssertEqual(
            windows.events,
            [.next(210, "0 1"), .next(220, "0 2"), .next(280, "1 3"), .next(350, "2 4"), .completed(400)])
    }

    func testGroups() {
        let xs = Observable.of("a", "bb", "c", "dd")
        let groups: Observable<GroupedObservable<Int, String>> = xs.groupBy { (s: String) throws -> Int in s.count }
        let res = groups.flatMap { group in group.map { (element: String) in "\(group.key)\(element)" } }
        XCTAssertEqual(all(res), ["1a", "2bb", "1c", "2dd"])
        XCTAssertEqual(all(xs.groupBy(keySelector: { $0.count }).map { $0.key }), [1, 2])
        let own = GroupedObservable(key: "k", source: Observable.of(1, 2))
        XCTAssertEqual(all(own.asObservable()), [1, 2])
        XCTAssertEqual(own.key, "k")
    }

    func testDecoding() {
        let json = Observable.just(Data(#"{"a":1}"#.utf8))
        XCTAssertEqual(all(json.decode(type: Pair.self, decoder: JSONDecoder())), [Pair(a: 1)])
        XCTAssertEqual(all(Observable.just(Data("x".utf8)).decode(type: String.self, decoder: LineDecoder())), ["x"])
        XCTAssertThrowsError(
            try Observable.just(Data()).decode(type: Pair.self, decoder: JSONDecoder()).toBlocking().first())
    }
}
