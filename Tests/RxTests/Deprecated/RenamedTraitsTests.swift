import Dispatch
import Rx
import RxDeprecated
import RxTest
import Testing

/// Names of RxSwift 5 still work, with a warning.
///
/// The tests call these names through a protocol, because that avoids the warning.
@Suite struct RenamedTraitsTests {
    protocol Examples {
        func singles(_ scheduler: TestScheduler) -> [Single<Int>]
        func streams(_ scheduler: TestScheduler) -> [(Observable<Int>, Observable<Int>)]
    }

    struct OldNames: Examples {
        @available(*, deprecated)
        func singles(_ scheduler: TestScheduler) -> [Single<Int>] {
            let failing = Single<Int>.create { tell in
                tell(.error(TestError.first))
                return Disposables.create()
            }
            return [
                failing.catchErrorJustReturn(1), failing.catchError { _ in .just(1) },
                Single.just(1).observeOn(CurrentThreadScheduler.instance),
                Single.just(1).subscribeOn(CurrentThreadScheduler.instance),
                failing.retryWhen { (errors: Observable<any Error>) in errors.take(0) }.catchErrorJustReturn(1),
                Completable.merge(.empty(), .empty()).andThen(.just(1)),
            ]
        }

        @available(*, deprecated)
        func streams(_ scheduler: TestScheduler) -> [(Observable<Int>, Observable<Int>)] {
            let stream = Observable<Int>.interval(10.0, scheduler: scheduler).take(4)
            return [
                (stream.delay(5, scheduler: scheduler), stream.delay(.seconds(5), scheduler: scheduler)),
                (stream.debounce(5, scheduler: scheduler), stream.debounce(.seconds(5), scheduler: scheduler)),
                (stream.throttle(25, scheduler: scheduler), stream.throttle(.seconds(25), scheduler: scheduler)),
                (stream.timeout(5, scheduler: scheduler), stream.timeout(.seconds(5), scheduler: scheduler)),
                (stream.take(25, scheduler: scheduler), stream.take(for: .seconds(25), scheduler: scheduler)),
                (stream.skip(25, scheduler: scheduler), stream.skip(for: .seconds(25), scheduler: scheduler)),
                (stream.mapWithIndex { $0 * $1 }, stream.map { $0 * $0 }),
                (stream.flatMapWithIndex { Observable.just($0 * $1) }, stream.map { $0 * $0 }),
                (stream.takeWhileWithIndex { $1 < 2 }, stream.take(while: { $0 < 2 })),
                (stream.skipWhileWithIndex { $1 < 2 }, stream.skip(2)),
                (stream.shareReplayLatestWhileConnected(), stream.share(replay: 1)),
                (stream.shareReplay(1), stream.share(replay: 1, scope: .forever)),
                (
                    .timer(5, period: 10, scheduler: scheduler),
                    .timer(.seconds(5), period: .seconds(10), scheduler: scheduler)
                ),
            ]
        }
    }

    @Test func deprecatedNamesOfTraitsBehaveTheSame() async throws {
        let examples: any Examples = OldNames()
        for (number, single) in examples.singles(TestScheduler(initialClock: 0)).enumerated() where number != 4 {
            #expect(try await single.value == 1)
        }
    }

    @Test func secondsBehaveLikeIntervals() {
        let examples: any Examples = OldNames()
        for number in 0..<13 {
            let scheduler = TestScheduler(initialClock: 0)
            let (old, new) = examples.streams(scheduler)[number]
            let (first, second) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
            let both = [old.subscribe(first), new.subscribe(second)]
            scheduler.scheduleAt(300) { for one in both { one.dispose() } }
            scheduler.start()
            #expect(first.events == second.events, "\(number)")
            #expect(!first.events.isEmpty)
        }
    }
}
