import Foundation
import Rx
import RxTest
import XCTest

private struct Numbers: Sequence {
    func makeIterator() -> AnyIterator<Int> {
        var count = 0
        return AnyIterator {
            count += 1
            return count > 3 ? nil : count
        }
    }
}

final class CreationSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    func testSimpleStreams() {
        let just: Observable<Int> = Observable.just(42)
        let scheduled = Observable.just(42, scheduler: CurrentThreadScheduler.instance)
        let empty = Observable<Int>.empty()
        let never: Observable<Int> = .never()
        let failing = Observable<Int>.error(testError)
        XCTAssertEqual([all(just), all(scheduled), all(empty)], [[42], [42], []])
        XCTAssertThrowsError(try failing.toBlocking().toArray())
        XCTAssertThrowsError(try never.toBlocking(timeout: 0).first())
    }

    func testStreamsOfSequences() {
        let scheduler = CurrentThreadScheduler.instance
        XCTAssertEqual(all(Observable.of(1, 2, 3)), [1, 2, 3])
        XCTAssertEqual(all(Observable.of(1, 2, 3, scheduler: scheduler)), [1, 2, 3])
        XCTAssertEqual(all(Observable.from([3, 1])), [3, 1])
        XCTAssertEqual(all(Observable.from([3, 1] as [Int], scheduler: scheduler)), [3, 1])
        XCTAssertEqual(all(Observable.from(Set([3]))), [3])
        XCTAssertEqual(all(Observable<Int>.from(1...3)), [1, 2, 3])
        XCTAssertEqual(all(Observable.from(Numbers())), [1, 2, 3])
        XCTAssertEqual(all(Observable.from(Numbers(), scheduler: scheduler)), [1, 2, 3])
        XCTAssertEqual(all(Observable.from(optional: 5 as Int?)), [5])
        XCTAssertEqual(all(Observable.from(optional: nil as Int?)), [])
        XCTAssertEqual(all(Observable.from(optional: 5 as Int?, scheduler: scheduler)), [5])
        XCTAssertEqual(all(Observable.from(optional: nil as Int?, scheduler: scheduler)), [])
        XCTAssertEqual(all(Observable<Int64>.range(start: 3, count: 2)), [3, 4])
        XCTAssertEqual(all(Observable.range(start: Int32(3), count: 2, scheduler: scheduler)), [3, 4])
        XCTAssertEqual(all(Observable.repeatElement(7).take(2)), [7, 7])
        XCTAssertEqual(all(Observable.repeatElement(7, scheduler: scheduler).take(2)), [7, 7])
    }

    func testGenerators() {
        let generated = Observable.generate(
            initialState: 0, condition: { (x: Int) throws -> Bool in x <= 3 },
            iterate: { (x: Int) throws -> Int in x + 1 })
        XCTAssertEqual(all(generated), [0, 1, 2, 3])
        let scheduler = TestScheduler(initialClock: 0)
        let res = scheduler.start {
            Observable.generate(initialState: 0, condition: { $0 <= 3 }, scheduler: scheduler) { x in x + 1 }
        }
        XCTAssertEqual(
            res.events, [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3), .completed(205)])
    }

    func testFactories() {
        var made = 0
        let deferred: Observable<Int> = Observable.deferred { () throws -> Observable<Int> in
            made += 1
            return .just(made)
        }
        XCTAssertEqual(all(deferred) + all(deferred), [1, 2])
        let throwing = Observable<Int>.deferred { throw testError }
        XCTAssertThrowsError(try throwing.toBlocking().first())
        let scheduler = TestScheduler(initialClock: 0)
        var resource: BooleanDisposable?
        let res = scheduler.start {
            Observable.using(
                { () throws -> BooleanDisposable in
                    resource = BooleanDisposable()
                    return resource!
                },
                observableFactory: { (disposable: BooleanDisposable) throws -> Observable<Bool> in
                    Observable.just(disposable.isDisposed)
                })
        }
        XCTAssertEqual(res.events, [.next(200, false), .completed(200)])
        XCTAssertEqual(resource?.isDisposed, true)
    }

    func testTimers() {
        let scheduler = TestScheduler(initialClock: 0)
        let interval: Observable<Int64> = Observable<Int64>.interval(.seconds(100), scheduler: scheduler)
        XCTAssertEqual(
            scheduler.start(disposed: 450) { interval }.events, [.next(300, 0), .next(400, 1)])
        let second = TestScheduler(initialClock: 0)
        let once = second.start { Observable<Int>.timer(.seconds(100), scheduler: second) }
        XCTAssertEqual(once.events, [.next(300, 0), .completed(300)])
        let third = TestScheduler(initialClock: 0)
        let repeated = third.start(disposed: 420) {
            Observable<Int>.timer(.seconds(50), period: .seconds(100), scheduler: third)
        }
        XCTAssertEqual(repeated.events, [.next(250, 0), .next(350, 1)])
        XCTAssertEqual(Int8(3).plusOne, 4)
    }

    func testCollectionsOfStreams() {
        let xs: [Observable<Int>] = [.of(1, 2), .of(3)]
        XCTAssertEqual(all(Observable.concat(xs)), [1, 2, 3])
        XCTAssertEqual(all(Observable.concat(xs[0], xs[1])), [1, 2, 3])
        XCTAssertEqual(all(Observable.concat(AnySequence(xs))), [1, 2, 3])
        XCTAssertEqual(all(Observable.concat(Set<Int>().map { Observable.just($0) })), [])
        XCTAssertEqual(all(Observable.merge(xs)), [1, 3, 2])
        XCTAssertEqual(all(Observable.merge(AnyCollection(xs))), [1, 3, 2])
        XCTAssertEqual(all(Observable.merge(xs[0], xs[1])), [1, 3, 2])
        XCTAssertEqual(all(Observable.amb(xs)), [1, 2])
        XCTAssertEqual(all(xs[1].amb(xs[0])), [3])
        XCTAssertEqual(all(Observable.zip(xs)), [[1, 3]])
        XCTAssertEqual(all(Observable.zip(xs) { $0.reduce(0, +) }), [4])
        XCTAssertEqual(all(Observable.combineLatest(xs)), [[1, 3], [2, 3]])
        XCTAssertEqual(all(Observable.combineLatest(xs) { (v: [Int]) throws -> Int in v.reduce(0, +) }), [4, 5])
        XCTAssertEqual(all(Observable.catch(sequence: [Observable.error(testError), .just(1)])), [1])
        XCTAssertEqual(all(Observable.zip([Observable<Int>]())), [])
    }
}

extension RxAbstractInteger { fileprivate var plusOne: Self { self + 1 } }
