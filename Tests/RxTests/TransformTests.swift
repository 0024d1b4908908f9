import Rx
import RxTest
import Testing

@Suite struct TransformTests {
    @Test func mapSendsEachElementTransformed() {
        check(
            usual,
            gives: [
                .next(210, 10), .next(220, 20), .next(230, 30), .next(240, 40), .next(250, 50), .completed(300),
            ], lives: (200, 300)
        ) { stream, _ in stream.map { $0 * 10 } }
    }

    @Test func mapPassesTheErrorOn() {
        check(failing, gives: [.next(210, 2), .next(220, 3), .error(225, TestError.first)], lives: (200, 225)) {
            stream, _ in stream.map { $0 + 1 }
        }
    }

    @Test func mapFailsWhereItsClosureThrows() {
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) { stream, _ in
            stream.map { if $0 == 2 { throw TestError.second } else { $0 } }
        }
    }

    @Test func mapEndsWithItsSubscription() {
        check(usual, disposed: 225, gives: [.next(210, 1), .next(220, 2)], lives: (200, 225)) { stream, _ in
            stream.map { $0 }
        }
    }

    @Test func compactMapDropsNil() {
        check(usual, gives: [.next(220, "2"), .next(240, "4"), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.compactMap { $0.isMultiple(of: 2) ? "\($0)" : nil }
        }
    }

    @Test func scanSendsTheRunningResult() {
        check(
            usual,
            gives: [.next(210, 1), .next(220, 3), .next(230, 6), .next(240, 10), .next(250, 15), .completed(300)],
            lives: (200, 300)
        ) { stream, _ in stream.scan(0) { $0 + $1 } }
    }

    @Test func scanFailsWhereItsClosureThrows() {
        check(usual, gives: [.next(210, 1), .error(220, TestError.first)], lives: (200, 220)) { stream, _ in
            stream.scan(0) { if $1 == 2 { throw TestError.first } else { $0 + $1 } }
        }
    }

    @Test func reduceSendsTheResultAtTheEnd() {
        check(usual, gives: [.next(300, 15), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.reduce(0) { $0 + $1 }
        }
        check(failing, gives: [.error(225, TestError.first)], lives: (200, 225)) { stream, _ in
            stream.reduce(0) { $0 + $1 }
        }
    }

    @Test func toArrayCollects() {
        check(usual, gives: [.next(300, [1, 2, 3, 4, 5]), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.toArray().asObservable()
        }
    }

    @Test func materializeAndDematerializeUndoEachOther() {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in
            stream.materialize().dematerialize()
        }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, _ in
            stream.materialize().dematerialize()
        }
        check(
            [.next(210, 1), .completed(220)] as [Line<Int>],
            gives: [.next(210, Event.next(1)), .next(220, .completed), .completed(220)], lives: (200, 220)
        ) { stream, _ in stream.materialize() }
    }
}

@Suite struct FlatMapTests {
    let scheduler = TestScheduler(initialClock: 0)

    func inner(_ name: Int) -> TestableObservable<Int> {
        scheduler.createColdObservable([.next(10, name * 10 + 1), .next(30, name * 10 + 2), .completed(40)])
    }

    @Test func flatMapMergesAllInnerStreams() {
        let inners = [inner(1), inner(2)]
        let outer = scheduler.createHotObservable([.next(210, 0), .next(225, 1), .completed(230)] as [Line<Int>])
        let result = scheduler.start { outer.flatMap { inners[$0] } }
        #expect(
            result.events == [
                .next(220, 11), .next(235, 21), .next(240, 12), .next(255, 22), .completed(265),
            ])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 250)], [Subscription(225, 265)]])
    }

    @Test func flatMapFailsWithAnInnerStreamAndEndsTheOthers() {
        let good = inner(1)
        let bad = scheduler.createColdObservable([.error(5, TestError.first)] as [Line<Int>])
        let outer = scheduler.createHotObservable([.next(210, 0), .next(225, 1), .completed(400)] as [Line<Int>])
        let result = scheduler.start { outer.flatMap { $0 == 0 ? good : bad } }
        #expect(result.events == [.next(220, 11), .error(230, TestError.first)])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(good.subscriptions == [Subscription(210, 230)])
        #expect(bad.subscriptions == [Subscription(225, 230)])
    }

    @Test func flatMapIsDisposedOfInMidFlow() {
        let one = inner(1)
        let outer = scheduler.createHotObservable([.next(210, 0)] as [Line<Int>])
        let result = scheduler.start(disposed: 230) { outer.flatMap { _ in one } }
        #expect(result.events == [.next(220, 11)])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(one.subscriptions == [Subscription(210, 230)])
    }

    @Test func flatMapFirstDropsWhatComesWhileOneFlows() {
        let inners = [inner(1), inner(2), inner(3)]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(225, 1), .next(260, 2), .completed(270)] as [Line<Int>])
        let result = scheduler.start { outer.flatMapFirst { inners[$0] } }
        #expect(
            result.events == [.next(220, 11), .next(240, 12), .next(270, 31), .next(290, 32), .completed(300)])
        #expect(inners[1].subscriptions.isEmpty)
    }

    @Test func flatMapLatestEndsTheOneBefore() {
        let inners = [inner(1), inner(2)]
        let outer = scheduler.createHotObservable([.next(210, 0), .next(225, 1), .completed(230)] as [Line<Int>])
        let result = scheduler.start { outer.flatMapLatest { inners[$0] } }
        #expect(result.events == [.next(220, 11), .next(235, 21), .next(255, 22), .completed(265)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 225)], [Subscription(225, 265)]])
    }

    @Test func concatMapLetsThemWait() {
        let inners = [inner(1), inner(2)]
        let outer = scheduler.createHotObservable([.next(210, 0), .next(225, 1), .completed(230)] as [Line<Int>])
        let result = scheduler.start { outer.concatMap { inners[$0] } }
        #expect(
            result.events == [.next(220, 11), .next(240, 12), .next(260, 21), .next(280, 22), .completed(290)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 250)], [Subscription(250, 290)]])
    }

    @Test func aSelectorThatThrowsFailsTheStream() {
        let outer = scheduler.createHotObservable([.next(210, 0)] as [Line<Int>])
        let result = scheduler.start {
            outer.flatMap { _ -> Observable<Int> in throw TestError.second }
        }
        #expect(result.events == [.error(210, TestError.second)])
        #expect(outer.subscriptions == [Subscription(200, 210)])
    }

    @Test func manyWaitingStreamsThatEndAtOnceDoNotPileUpOnTheStack() {
        let log = Log<Int>()
        _ = Observable.range(start: 0, count: 20_000).concatMap { Observable.just($0) }
            .subscribe(onNext: { log.add($0) })
        #expect(log.count == 20_000)
        let other = Log<Int>()
        let all = (0..<20_000).map { Observable.just($0) }
        _ = Observable.concat(all).subscribe(onNext: { other.add($0) })
        #expect(other.count == 20_000)
    }
}
