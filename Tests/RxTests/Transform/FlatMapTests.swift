import Rx
import RxTest
import Testing

@Suite struct FlatMapTests {
    let scheduler = TestScheduler(initialClock: 0)

    func inner(_ name: Int) -> TestableObservable<Int> {
        scheduler.createColdObservable([
            .next(10, name * 10 + 1), .next(30, name * 10 + 2), .completed(40),
        ])
    }

    @Test func flatMapMergesAllInnerStreams() {
        let inners = [inner(1), inner(2)]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(225, 1), .completed(230)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMap { inners[$0] } }
        #expect(
            result.events == [
                .next(220, 11), .next(235, 21), .next(240, 12), .next(255, 22), .completed(265),
            ])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 250)], [Subscription(225, 265)]])
    }

    @Test func anErrorOfAnInnerStreamDisposesOfTheOthers() {
        let good = inner(1)
        let bad = scheduler.createColdObservable([.error(5, TestError.first)] as [RecordedEvent<Int>])
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(225, 1), .completed(400)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMap { $0 == 0 ? good : bad } }
        #expect(result.events == [.next(220, 11), .error(230, TestError.first)])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(good.subscriptions == [Subscription(210, 230)])
        #expect(bad.subscriptions == [Subscription(225, 230)])
    }

    @Test func disposalDisposesOfOuterAndInnerStreams() {
        let one = inner(1)
        let outer = scheduler.createHotObservable([.next(210, 0)] as [RecordedEvent<Int>])
        let result = scheduler.start(disposed: 230) { outer.flatMap { _ in one } }
        #expect(result.events == [.next(220, 11)])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(one.subscriptions == [Subscription(210, 230)])
    }

    @Test func flatMapFirstDropsElementsWhileAnInnerStreamRuns() {
        let inners = [inner(1), inner(2), inner(3)]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(225, 1), .next(260, 2), .completed(270)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMapFirst { inners[$0] } }
        #expect(
            result.events == [
                .next(220, 11), .next(240, 12), .next(270, 31), .next(290, 32), .completed(300),
            ])
        #expect(inners[1].subscriptions.isEmpty)
    }

    @Test func flatMapLatestDisposesOfThePreviousInnerStream() {
        let inners = [inner(1), inner(2)]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(225, 1), .completed(230)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMapLatest { inners[$0] } }
        #expect(result.events == [.next(220, 11), .next(235, 21), .next(255, 22), .completed(265)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 225)], [Subscription(225, 265)]])
    }

    @Test func concatMapSubscribesToOneInnerStreamAfterTheOther() {
        let inners = [inner(1), inner(2)]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(225, 1), .completed(230)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.concatMap { inners[$0] } }
        #expect(
            result.events == [
                .next(220, 11), .next(240, 12), .next(260, 21), .next(280, 22), .completed(290),
            ])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 250)], [Subscription(250, 290)]])
    }

    @Test func aThrowingSelectorFailsTheStream() {
        let outer = scheduler.createHotObservable([.next(210, 0)] as [RecordedEvent<Int>])
        let result = scheduler.start {
            outer.flatMap { _ -> Observable<Int> in throw TestError.second }
        }
        #expect(result.events == [.error(210, TestError.second)])
        #expect(outer.subscriptions == [Subscription(200, 210)])
    }

    @Test func manyWaitingStreamsThatCompleteAtOnceDoNotRecurse() {
        let log = Log<Int>()
        _ = Observable.range(start: 0, count: 20_000).concatMap { Observable.just($0) }
            .subscribe(onNext: { log.add($0) })
        #expect(log.count == 20_000)
        let other = Log<Int>()
        let all = (0..<20_000).map { Observable.just($0) }
        _ = Observable.concat(all).subscribe(onNext: { other.add($0) })
        #expect(other.count == 20_000)
    }

    @Test func flatMapCompletesAfterItsOuterStream() {
        let one = inner(1)
        let outer = scheduler.createHotObservable([.next(210, 0), .completed(400)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMap { _ in one } }
        #expect(result.events == [.next(220, 11), .next(240, 12), .completed(400)])
        #expect(outer.subscriptions == [Subscription(200, 400)])
        #expect(one.subscriptions == [Subscription(210, 250)])
    }

    @Test func flatMapFailsWithItsOuterStream() {
        let one = inner(1)
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .error(230, TestError.first)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMap { _ in one } }
        #expect(result.events == [.next(220, 11), .error(230, TestError.first)])
        #expect(one.subscriptions == [Subscription(210, 230)])
    }

    @Test func flatMapLatestIgnoresTheErrorOfAPreviousInnerStream() {
        let bad = scheduler.createColdObservable(
            [.next(5, 1), .error(50, TestError.first)] as [RecordedEvent<Int>])
        let good = scheduler.createColdObservable(
            [.next(5, 2), .error(30, TestError.second)] as [RecordedEvent<Int>])
        let outer = scheduler.createHotObservable([.next(210, 0), .next(240, 1)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.flatMapLatest { $0 == 0 ? bad : good } }
        #expect(result.events == [.next(215, 1), .next(245, 2), .error(270, TestError.second)])
        #expect(bad.subscriptions == [Subscription(210, 240)])
        #expect(outer.subscriptions == [Subscription(200, 270)])
    }

    @Test func anInnerStreamMayCauseTheNextOuterElement() {
        let outer = PublishSubject<Int>()
        let log = Log<Int>()
        _ = outer.flatMap { Observable.of($0, $0 * 10) }.subscribe(onNext: { value in
            log.add(value)
            if value == 1 { outer.onNext(2) }
        })
        outer.onNext(1)
        #expect(log.all == [1, 2, 10, 20])
        let latest = PublishSubject<Int>()
        let other = Log<Int>()
        _ = latest.flatMapLatest { Observable.of($0, $0 * 10) }.subscribe(onNext: { value in
            other.add(value)
            if value == 1 { latest.onNext(2) }
        })
        latest.onNext(1)
        #expect(other.all == [1, 2, 20])
    }

    @Test func disposalInsideTheSelectorPreventsTheInnerSubscription() {
        let outer = PublishSubject<Int>()
        let one = inner(1)
        let holder = Holder()
        holder.hold(
            outer.flatMap { _ in
                holder.drop()
                return one
            }.subscribe())
        outer.onNext(1)
        #expect(!outer.hasObservers)
        #expect(one.subscriptions.allSatisfy { $0.unsubscribe == 0 })
    }
}
