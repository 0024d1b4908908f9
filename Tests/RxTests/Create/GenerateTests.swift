import Rx
import RxTest
import Testing

@Suite struct GenerateTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func generateContinuesAsLongAsTheConditionIsTrue() {
        let scheduler = scheduler
        let result = scheduler.start {
            Observable.generate(initialState: 0, condition: { $0 <= 3 }, scheduler: scheduler) { $0 + 1 }
        }
        #expect(
            result.events == [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3), .completed(205)])
    }

    @Test func throwingClosuresFailTheStream() {
        let scheduler = scheduler
        let first = scheduler.start {
            Observable.generate(
                initialState: 0, condition: { _ in throw TestError.first }, scheduler: scheduler, iterate: { $0 + 1 })
        }
        #expect(first.events == [.error(201, TestError.first)])
        let other = TestScheduler(initialClock: 0)
        let second = other.start {
            Observable.generate(
                initialState: 0, condition: { _ in true }, scheduler: other, iterate: { _ in throw TestError.second })
        }
        #expect(second.events == [.next(201, 0), .error(202, TestError.second)])
    }

    @Test func disposalStopsTheStream() {
        let scheduler = scheduler
        let result = scheduler.start(disposed: 203) {
            Observable.generate(initialState: 0, condition: { _ in true }, scheduler: scheduler) { $0 + 1 }
        }
        #expect(result.events == [.next(201, 0), .next(202, 1)])
    }

    @Test func onTheCurrentThreadItCompletesAtSubscription() {
        let log = Log<Int>()
        _ = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 2 })
            .subscribe(onNext: { log.add($0) }, onCompleted: { log.add(0) })
        #expect(log.all == [1, 2, 4, 8, 16, 0])
        let taken = Log<Int>()
        _ = Observable.generate(initialState: 0, condition: { _ in true }, iterate: { $0 + 1 }).take(3)
            .subscribe(onNext: { taken.add($0) })
        #expect(taken.all == [0, 1, 2])
    }

    @Test func eachSubscriptionStartsAgain() {
        let log = Log<Int>()
        let stream = Observable.generate(initialState: 0, condition: { $0 < 2 }, iterate: { $0 + 1 })
        for _ in 0..<2 { _ = stream.subscribe(onNext: { log.add($0) }) }
        #expect(log.all == [0, 1, 0, 1])
    }

    @Test func repeatElementNeverEnds() {
        let scheduler = scheduler
        let result = scheduler.start(disposed: 205) { Observable.repeatElement(42, scheduler: scheduler) }
        #expect(result.events == [.next(201, 42), .next(202, 42), .next(203, 42), .next(204, 42)])
        let log = Log<Int>()
        _ = Observable.repeatElement(7).take(3).subscribe(onNext: { log.add($0) }, onCompleted: { log.add(0) })
        #expect(log.all == [7, 7, 7, 0])
    }

    @Test func repeatElementStopsAtDisposalFromInside() {
        let scheduler = scheduler
        let log = Log<Int>()
        let holder = Holder()
        scheduler.scheduleAt(200) {
            holder.hold(
                Observable.repeatElement(1, scheduler: scheduler).subscribe(onNext: {
                    log.add($0)
                    holder.drop()
                }))
        }
        scheduler.start()
        #expect(log.all == [1])
    }

    @Test func fromAnOptionalUsesTheScheduler() {
        for (element, expected) in [
            (5, [.next(201, 5), .completed(202)]), (nil, [.completed(201)]),
        ] as [(Int?, [RecordedEvent<Int>])] {
            let scheduler = TestScheduler(initialClock: 0)
            let result = scheduler.start { Observable.from(optional: element, scheduler: scheduler) }
            #expect(result.events == expected)
        }
    }
}
