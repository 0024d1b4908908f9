import Dispatch
import Rx
import RxDeprecated
import RxTest
import Testing

/// Names of RxSwift 5 still work, with a warning.
///
/// The tests call these names through a protocol, because that avoids the warning.
@Suite struct RenamedOperatorsTests {
    protocol Examples {
        func streams(of stream: Observable<Int>, _ scheduler: TestScheduler) -> [(Observable<Int>, Observable<Int>)]
    }

    struct OldNames: Examples {
        @available(*, deprecated)
        func streams(of stream: Observable<Int>, _ scheduler: TestScheduler) -> [(Observable<Int>, Observable<Int>)] {
            let other = Observable<Int>.timer(.seconds(25), scheduler: scheduler)
            return [
                (stream.elementAt(1), stream.element(at: 1)),
                (stream.skipWhile { $0 < 3 }, stream.skip(while: { $0 < 3 })),
                (stream.skipUntil(other), stream.skip(until: other)),
                (stream.takeWhile { $0 < 3 }, stream.take(while: { $0 < 3 })),
                (stream.takeUntil(other), stream.take(until: other)),
                (stream.takeUntil(.inclusive) { $0 == 2 }, stream.take(until: { $0 == 2 }, behavior: .inclusive)),
                (stream.take(.seconds(25), scheduler: scheduler), stream.take(for: .seconds(25), scheduler: scheduler)),
                (stream.catchError { _ in .just(7) }, stream.catch { _ in .just(7) }),
                (stream.catchErrorJustReturn(7), stream.catchAndReturn(7)),
                (.catchError([stream, stream]), .catch(sequence: [stream, stream])),
                (stream.retryWhen { $0.take(1) }, stream.retry(when: { $0.take(1) })),
                (
                    stream.retryWhen { (errors: Observable<TestError>) in errors.take(1) },
                    stream.retry(when: { (errors: Observable<TestError>) in errors.take(1) })
                ),
                (stream.observeOn(scheduler), stream.observe(on: scheduler)),
                (stream.subscribeOn(scheduler), stream.subscribe(on: scheduler)),
            ]
        }
    }

    @Test(arguments: [usual, failing])
    func deprecatedNamesBehaveTheSame(_ script: [RecordedEvent<Int>]) {
        let examples: any Examples = OldNames()
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(script)
        let pairs = examples.streams(of: source.asObservable(), scheduler).map { old, new in
            let both = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
            scheduler.scheduleAt(200) {
                _ = old.subscribe(both.0)
                _ = new.subscribe(both.1)
            }
            return both
        }
        scheduler.start()
        for (old, new) in pairs {
            // Compares events without their times, because two subscriptions with one scheduler may differ by a tick.
            #expect(old.events.map(\.value) == new.events.map(\.value))
            #expect(!old.events.isEmpty)
        }
    }
}
