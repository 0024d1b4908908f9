import Foundation
import Rx
import RxDeprecated
import RxTest
import XCTest

/// Names of earlier versions that RxSwift 6 still declares, each with a warning.
final class DeprecatedSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    func testOptionals() {
        let number: Int? = 1
        XCTAssertEqual(all(Observable<Int>.from(number)), [1])
        XCTAssertEqual(all(Observable<Int>.from(nil as Int?)), [])
        XCTAssertEqual(all(Observable<Int>.from(number, scheduler: CurrentThreadScheduler.instance)), [1])
        // A string and an array are still converted as sequences, not as optionals.
        XCTAssertEqual(all(Observable.from("ab")).map { String($0) }, ["a", "b"])
        XCTAssertEqual(all(Observable.from([1, nil])), [1, nil])
    }

    func testIndices() {
        let xs = Observable.of(5, 6, 7)
        XCTAssertEqual(all(xs.mapWithIndex { (x: Int, i: Int) throws -> Int in x * 10 + i }), [50, 61, 72])
        XCTAssertEqual(all(xs.flatMapWithIndex { x, i in Observable.just(x + i) }), [5, 7, 9])
        XCTAssertEqual(all(xs.skipWhileWithIndex { _, i in i < 1 }), [6, 7])
        XCTAssertEqual(all(xs.takeWhileWithIndex { _, i in i < 1 }), [5])
    }

    func testSeconds() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([.next(210, 1), .completed(240)])
        let seconds: TimeInterval = 5
        let forms: [(Observable<Int>, [Recorded<Event<Int>>])] = [
            (xs.delay(seconds, scheduler: scheduler), [.next(215, 1), .completed(245)]),
            (xs.delaySubscription(15.0, scheduler: scheduler), [.completed(240)]),
            (xs.debounce(seconds, scheduler: scheduler), [.next(215, 1), .completed(240)]),
            (xs.throttle(seconds, scheduler: scheduler), [.next(210, 1), .completed(240)]),
            (xs.throttle(seconds, latest: false, scheduler: scheduler), [.next(210, 1), .completed(240)]),
            (xs.timeout(20.0, scheduler: scheduler), [.next(210, 1), .error(230, RxError.timeout)]),
            (
                xs.timeout(20.0, other: Observable.just(2), scheduler: scheduler),
                [.next(210, 1), .next(230, 2), .completed(230)]
            ),
            (xs.take(seconds, scheduler: scheduler), [.completed(205)]),
            (xs.skip(15.0, scheduler: scheduler), [.completed(240)]),
            (Observable<Int>.interval(20.0, scheduler: scheduler).take(1), [.next(220, 0), .completed(220)]),
            (Observable<Int>.timer(seconds, scheduler: scheduler), [.next(205, 0), .completed(205)]),
            (
                Observable<Int>.timer(seconds, period: 5.0, scheduler: scheduler).take(2),
                [.next(205, 0), .next(210, 1), .completed(210)]
            ),
            (
                xs.buffer(timeSpan: 50.0, count: 9, scheduler: scheduler).map { $0.count },
                [.next(240, 1), .completed(240)]
            ),
            (
                xs.window(timeSpan: 50.0, count: 9, scheduler: scheduler).map { _ in 7 },
                [.next(200, 7), .completed(240)]
            ),
            (Single<Int>.timer(seconds, scheduler: scheduler).asObservable(), [.next(205, 0), .completed(205)]),
            (
                Single.just(1).delay(seconds, scheduler: scheduler).asObservable(), [.next(205, 1), .completed(206)]
            ),
        ]
        let observers = forms.map { _ in scheduler.createObserver(Int.self) }
        scheduler.scheduleAt(200) {
            for (form, observer) in zip(forms, observers) { _ = form.0.subscribe(observer) }
        }
        scheduler.start()
        for (index, observer) in observers.enumerated() {
            XCTAssertEqual(observer.events, forms[index].1, "form \(index)")
        }
    }

    func testTraits() {
        var log: [String] = []
        let single = Single.just(1).do(onNext: { log.append("\($0)") }, onDispose: { log.append("d") })
        _ = single.subscribe()
        XCTAssertEqual(log, ["1", "d"])
        _ = Single.just(2).do { log.append("\($0)") }.subscribe()
        XCTAssertEqual(log, ["1", "d", "2"])
        XCTAssertEqual(all(Completable.merge(.empty(), .empty())).count, 0)
        XCTAssertEqual(all(Completable.merge([.empty(), .empty()])).count, 0)
        let event: SingleEvent<Int> = .error(testError)
        XCTAssertTrue(event == SingleEvent<Int>.failure(testError))
        XCTAssertEqual(
            all(Single<Int>.error(testError).retryWhen { (e: Observable<Error>) in e.take(0) }.asMaybe()), [])
    }

    func testSharing() {
        XCTAssertEqual(all(Observable.of(1).shareReplay(1)), [1])
        XCTAssertEqual(all(Observable.of(1).shareReplayLatestWhileConnected()), [1])
        let bag = DisposeBag()
        Disposables.create().addDisposableTo(bag)
    }

    func testRecordedEvents() {
        let events: [Recorded<Event<Int>>] = [next(1, 2), error(2, testError), completed(3)]
        XCTAssertEqual(events, [.next(1, 2), .error(2, testError), .completed(3)])
        XCTAssertEqual([next(1, "a"), completed(2, String.self)], [.next(1, "a"), .completed(2)])
    }
}
