import Dispatch
import Rx
import RxTest
import Testing

@Suite struct FilterTests {
    @Test func filterKeepsWhatHolds() {
        check(usual, gives: [.next(220, 2), .next(240, 4), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.filter { $0.isMultiple(of: 2) }
        }
        check(usual, gives: [.error(210, TestError.first)], lives: (200, 210)) { stream, _ in
            stream.filter { _ in throw TestError.first }
        }
    }

    @Test func takeCompletesAfterItsCount() {
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(220)], lives: (200, 220)) { stream, _ in
            stream.take(2)
        }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, _ in stream.take(5) }
        check(usual, disposed: 215, gives: [.next(210, 1)], lives: (200, 215)) { stream, _ in stream.take(5) }
    }

    @Test func takeOfNoneDoesNotSubscribe() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start { source.take(0) }
        #expect(result.events == [.completed(200)])
        #expect(source.subscriptions.isEmpty)
    }

    @Test func takeWhileStopsAtTheFirstOther() {
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(230)], lives: (200, 230)) { stream, _ in
            stream.take(while: { $0 < 3 })
        }
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(220)], lives: (200, 220)) { stream, _ in
            stream.take(until: { $0 == 2 }, behavior: .inclusive)
        }
    }

    @Test func takeLastWaitsForTheEnd() {
        check(usual, gives: [.next(300, 4), .next(300, 5), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.takeLast(2)
        }
    }

    @Test func skipLeavesOutTheFirst() {
        check(usual, gives: [.next(240, 4), .next(250, 5), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.skip(3)
        }
        check(usual, gives: [.next(240, 4), .next(250, 5), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.skip(while: { $0 < 4 })
        }
    }

    @Test func distinctUntilChangedComparesWithTheOneBefore() {
        let script: [Line<Int>] = [.next(210, 1), .next(220, 1), .next(230, 2), .next(240, 1), .completed(250)]
        check(
            script, gives: [.next(210, 1), .next(230, 2), .next(240, 1), .completed(250)], lives: (200, 250)
        ) { stream, _ in stream.distinctUntilChanged() }
        check(script, gives: [.next(210, 1), .completed(250)], lives: (200, 250)) { stream, _ in
            stream.distinctUntilChanged { _, _ in true }
        }
        check(script, gives: [.next(210, 1), .completed(250)], lives: (200, 250)) { stream, _ in
            stream.distinctUntilChanged { $0 / 10 }
        }
    }

    @Test func singleWantsExactlyOne() {
        check(usual, gives: [.next(210, 1), .error(220, RxError.moreThanOneElement)], lives: (200, 220)) {
            stream, _ in stream.single()
        }
        check(usual, gives: [.next(230, 3), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.single { $0 == 3 }
        }
        check(usual, gives: [.error(300, RxError.noElements)], lives: (200, 300)) { stream, _ in
            stream.single { $0 == 33 }
        }
    }

    @Test func firstGivesTheFirstOrNil() {
        check(usual, gives: [.next(210, 1 as Int?), .completed(210)], lives: (200, 210)) { stream, _ in
            stream.first().asObservable()
        }
        check([.completed(220)] as [Line<Int>], gives: [.next(220, nil as Int?), .completed(220)], lives: (200, 220)) {
            stream, _ in stream.first().asObservable()
        }
    }

    @Test func elementAtPicksOne() {
        check(usual, gives: [.next(230, 3), .completed(230)], lives: (200, 230)) { stream, _ in
            stream.element(at: 2)
        }
        check(usual, gives: [.error(300, RxError.argumentOutOfRange)], lives: (200, 300)) { stream, _ in
            stream.element(at: 7)
        }
    }

    @Test func ignoreElementsKeepsTheEnd() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start { source.ignoreElements() }
        #expect(result.events.map(\.time) == [300])
        #expect(source.subscriptions == [Subscription(200, 300)])
    }

    @Test func takeUntilEndsWithTheOther() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let other = scheduler.createHotObservable([.next(225, "x"), .next(400, "y")] as [Line<String>])
        let result = scheduler.start { source.take(until: other) }
        #expect(result.events == [.next(210, 1), .next(220, 2), .completed(225)])
        #expect(source.subscriptions == [Subscription(200, 225)])
        #expect(other.subscriptions == [Subscription(200, 225)])
    }

    @Test func takeUntilFailsWithTheOtherAndOutlivesItsEnd() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let other = scheduler.createHotObservable([.error(225, TestError.second)] as [Line<Int>])
        #expect(
            scheduler.start { source.take(until: other) }.events == [
                .next(210, 1), .next(220, 2), .error(225, TestError.second),
            ])
        let late = TestScheduler(initialClock: 0)
        let again = late.createHotObservable(usual)
        let ended = late.createHotObservable([.completed(215)] as [Line<Int>])
        #expect(late.start { again.take(until: ended) }.events == Array(usual.dropFirst()))
        #expect(again.subscriptions == [Subscription(200, 300)])
        #expect(ended.subscriptions == [Subscription(200, 215)])
    }

    @Test func skipUntilBeginsWithTheOther() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let other = scheduler.createHotObservable([.next(225, "x")] as [Line<String>])
        let result = scheduler.start { source.skip(until: other) }
        #expect(result.events == [.next(230, 3), .next(240, 4), .next(250, 5), .completed(300)])
        #expect(other.subscriptions == [Subscription(200, 225)])
    }

    @Test func takeForEndsWithItsTime() {
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(225)], lives: (200, 225)) { stream, scheduler in
            stream.take(for: .seconds(25), scheduler: scheduler)
        }
    }
}
