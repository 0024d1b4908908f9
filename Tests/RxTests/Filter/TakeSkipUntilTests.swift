import Rx
import RxTest
import Testing

@Suite struct TakeSkipUntilTests {
    let scheduler = TestScheduler(initialClock: 0)

    /// Runs an operator on two streams. Returns the events and the lifetimes of both subscriptions.
    func run(
        _ other: [RecordedEvent<Int>], source script: [RecordedEvent<Int>] = usual,
        _ make: @escaping (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) -> TwoSources.Outcome {
        let source = scheduler.createHotObservable(script)
        let trigger = scheduler.createHotObservable(other)
        let result = scheduler.start { make(source.asObservable(), trigger.asObservable()) }
        return TwoSources.Outcome(result.events, source.subscriptions, trigger.subscriptions)
    }

    @Test func takeUntilCompletesAtTheFirstElementOfTheOther() {
        #expect(
            run([.next(225, 99), .next(400, 100)]) { $0.take(until: $1) }
                == .init(
                    [.next(210, 1), .next(220, 2), .completed(225)], left: (200, 225), right: (200, 225)))
    }

    @Test func takeUntilFailsWithTheOther() {
        #expect(
            run([.error(225, TestError.second)]) { $0.take(until: $1) }
                == .init(
                    [.next(210, 1), .next(220, 2), .error(225, TestError.second)], left: (200, 225),
                    right: (200, 225)))
    }

    @Test func takeUntilContinuesAfterTheOtherCompletes() {
        #expect(
            run([.completed(215)]) { $0.take(until: $1) }
                == .init(Array(usual.dropFirst()), left: (200, 300), right: (200, 215)))
    }

    @Test func takeUntilOfAnImmediateElementCompletesAtOnce() {
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start { source.take(until: Observable.just(1)) }
        #expect(result.events == [.completed(200)])
        #expect(source.subscriptions.allSatisfy { $0 == Subscription(200, 200) })
    }

    @Test func skipUntilStartsAtTheFirstElementOfTheOther() {
        #expect(
            run([.next(225, 99)]) { $0.skip(until: $1) }
                == .init(
                    [.next(230, 3), .next(240, 4), .next(250, 5), .completed(300)], left: (200, 300),
                    right: (200, 225)))
    }

    /// As in RxSwift, the result completes only after an element of the other stream.
    @Test func skipUntilNeverCompletesIfItHasNotStarted() {
        #expect(
            run([.completed(225)]) { $0.skip(until: $1) }
                == .init([], left: (200, 300), right: (200, 225)))
    }

    @Test func skipUntilDisposesOfTheOtherWhenItsStreamEnds() {
        #expect(run([]) { $0.skip(until: $1) } == .init([], left: (200, 300), right: (200, 300)))
    }

    @Test func skipUntilFailsWithEither() {
        #expect(
            run([.error(225, TestError.second)]) { $0.skip(until: $1) }
                == .init([.error(225, TestError.second)], left: (200, 225), right: (200, 225)))
    }

    @Test func skipUntilFailsWithItsOwnStreamBeforeItHasStarted() {
        #expect(
            run([], source: failing) { $0.skip(until: $1) }
                == .init([.error(225, TestError.first)], left: (200, 225), right: (200, 225)))
    }
}
