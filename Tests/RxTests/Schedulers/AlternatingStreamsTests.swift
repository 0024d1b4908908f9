import Dispatch
import Rx
import RxTest
import Testing

/// Cold streams of several elements alternate on the subscribing thread, as in RxSwift.
@Suite struct AlternatingStreamsTests {
    func elements(_ stream: Observable<Int>) -> [Int] {
        let log = Log<Int>()
        _ = stream.subscribe(onNext: { log.add($0) })
        return log.all
    }

    @Test func mergedColdStreamsAlternate() {
        #expect(elements(.merge(.of(1, 2, 3), .of(10, 20, 30))) == [1, 10, 2, 20, 3, 30])
    }

    @Test func innerStreamsAlternateWithTheOuterStream() {
        #expect(elements(Observable.of(1, 2, 3).flatMap { Observable.of($0, $0 * 10) }) == [1, 10, 2, 20, 3, 30])
        #expect(elements(Observable.of(1, 2, 3).concatMap { Observable.of($0, $0 * 10) }) == [1, 10, 2, 20, 3, 30])
        #expect(elements(Observable.of(1, 2, 3).flatMap { Observable.just($0) }) == [1, 2, 3])
    }

    @Test func flatMapLatestOfColdStreamsForwardsTheLatest() {
        #expect(elements(Observable.of(1, 2, 3).flatMapLatest { Observable.of($0, $0 * 10, $0 * 100) }).last == 300)
        #expect(elements(Observable.of(1, 2, 3).flatMapLatest { Observable.just($0) }) == [1, 2, 3])
    }

    @Test func zippedAndCombinedColdStreamsAlternate() {
        #expect(elements(Observable.zip(Observable.of(1, 2, 3), Observable.of(10, 20)) { $0 + $1 }) == [11, 22])
        #expect(elements(Observable.combineLatest(Observable.of(1, 2), Observable.just(10)) { $0 + $1 }) == [11, 12])
        #expect(elements(Observable.combineLatest(Observable.just(10), Observable.of(1, 2)) { $0 + $1 }) == [11, 12])
        #expect(elements(Observable.of(1, 2, 3).withLatestFrom(Observable.just(5))) == [5, 5, 5])
        #expect(elements(Observable.of(1, 2).startWith(0).concat(Observable.of(3))) == [0, 1, 2, 3])
    }

    /// If a subscription is made inside an element, its work runs after work that is already queued.
    @Test func aSubscriptionInsideAnElementRunsAfterQueuedWork() {
        let log = Log<Int>()
        _ = Observable.of(1, 2).subscribe(onNext: { value in
            log.add(value)
            if value == 1 {
                _ = Observable.of(10, 20).subscribe(onNext: { log.add($0) })
                log.add(5)
            }
        })
        #expect(log.all == [1, 5, 10, 2, 20])
    }

    @Test func aRepeatingStreamStopsAtDisposal() {
        #expect(elements(Observable.from(sequence(first: 1) { $0 + 1 }).take(1000)).count == 1000)
        #expect(
            elements(Observable.of(1, 2).concat(Observable.error(TestError.first)).retry().take(5)) == [1, 2, 1, 2, 1])
    }
}
