import Rx
import RxTest
import Testing

@Suite struct ZipTests {
    let scheduler = TestScheduler(initialClock: 0)

    func hot(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createHotObservable(events) }

    @Test func zipPairsElementsInOrder() {
        let one = hot([.next(210, 1), .next(220, 2), .next(250, 3), .completed(260)])
        let two = hot([.next(230, 10), .next(240, 20), .completed(245)])
        let result = scheduler.start { Observable.zip(one, two) { $0 + $1 } }
        #expect(result.events == [.next(230, 11), .next(240, 22), .completed(260)])
        #expect(one.subscriptions == [Subscription(200, 260)])
        #expect(two.subscriptions == [Subscription(200, 245)])
    }

    @Test func zipUsesBufferedElementsOfACompletedStream() {
        let one = hot([.next(210, 1), .next(220, 2), .completed(225)])
        let two = hot([.next(230, 10), .next(240, 20), .next(250, 30), .completed(300)])
        let result = scheduler.start { Observable.zip(one, two) { $0 + $1 } }
        #expect(result.events == [.next(230, 11), .next(240, 22), .completed(300)])
        #expect(two.subscriptions == [Subscription(200, 300)])
    }

    @Test("zip of a collection completes at the first element that cannot be combined")
    func aCollectionEndsEarly() {
        let one = hot([.next(210, 1), .next(220, 2), .next(250, 3), .completed(260)])
        let two = hot([.next(230, 10), .next(240, 20), .completed(245)])
        let result = scheduler.start { Observable.zip([one, two]) { $0[0] + $0[1] } }
        #expect(result.events == [.next(230, 11), .next(240, 22), .completed(250)])
        #expect(one.subscriptions == [Subscription(200, 250)])
    }

    @Test("zip fails with an error that arrives after another stream completed")
    func anErrorAfterTheOtherEnded() {
        let one = hot([.next(210, 1), .next(220, 2), .error(230, TestError.first)])
        let two = hot([.completed(205)])
        let result = scheduler.start { Observable.zip(one, two) { $0 + $1 } }
        #expect(result.events == [.error(230, TestError.first)])
    }

    @Test("zip of Infallibles completes when all completed")
    func infallibles() {
        let one = hot([.next(210, 1), .next(220, 2), .completed(260)]).asInfallible(onErrorJustReturn: 0)
        let two = hot([.next(230, 10), .completed(245)]).asInfallible(onErrorJustReturn: 0)
        let joined = scheduler.start { Infallible.zip(one, two) { $0 + $1 } }
        #expect(joined.events == [.next(230, 11), .completed(260)])
        let again = TestScheduler(initialClock: 0)
        let sources = [3, 1, 2].map { count in
            again.createHotObservable(
                (0..<count).map { .next(210 + $0, $0) } + [.completed(250 + count)] as [RecordedEvent<Int>]
            ).asInfallible(onErrorJustReturn: 0)
        }
        let tuples = again.start { Infallible.zip(sources[0], sources[1], sources[2]).map { $0.0 + $0.1 + $0.2 } }
        #expect(tuples.events == [.next(210, 0), .completed(253)])
    }

    @Test func aThrowingSelectorFailsTheStream() {
        let one = hot([.next(210, 1)])
        let two = hot([.next(220, 2)])
        let result = scheduler.start { Observable<Int>.zip(one, two) { _, _ in throw TestError.second } }
        #expect(result.events == [.error(220, TestError.second)])
        #expect(one.subscriptions == [Subscription(200, 220)])
        #expect(two.subscriptions == [Subscription(200, 220)])
    }

    @Test func zipOfAnEmptyAndAnEndlessStreamCompletes() {
        let one = hot([.completed(210)])
        let two = hot([])
        #expect(scheduler.start { Observable.zip(one, two) { $0 + $1 } }.events.isEmpty)
        #expect(one.subscriptions == [Subscription(200, 210)])
        #expect(two.subscriptions == [Subscription(200, 1000)])
    }

    /// Returns streams: stream i emits i at 210 + i and 10 + i at 230 + i, and completes at 250.
    func streams(_ arity: Int) -> [Observable<Int>] {
        (0..<arity).map { index in
            hot([.next(210 + index, index), .next(230 + index, 10 + index), .completed(250)]).asObservable()
        }
    }

    @Test(arguments: 2...8)
    func everyArity(_ arity: Int) {
        let all = streams(arity)
        let result = scheduler.start { () -> Observable<[Int]> in
            switch arity {
            case 2: Observable.zip(all[0], all[1]) { [$0, $1] }
            case 3: Observable.zip(all[0], all[1], all[2]) { [$0, $1, $2] }
            case 4: Observable.zip(all[0], all[1], all[2], all[3]) { [$0, $1, $2, $3] }
            case 5: Observable.zip(all[0], all[1], all[2], all[3], all[4]) { [$0, $1, $2, $3, $4] }
            case 6: Observable.zip(all[0], all[1], all[2], all[3], all[4], all[5]) { [$0, $1, $2, $3, $4, $5] }
            case 7:
                Observable.zip(all[0], all[1], all[2], all[3], all[4], all[5], all[6]) {
                    [$0, $1, $2, $3, $4, $5, $6]
                }
            default:
                Observable.zip(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]) {
                    [$0, $1, $2, $3, $4, $5, $6, $7]
                }
            }
        }
        #expect(
            result.events == [
                .next(209 + arity, Array(0..<arity)), .next(229 + arity, (0..<arity).map { 10 + $0 }),
                .completed(250),
            ])
    }

    @Test func zipWithoutASelectorSendsTuples() {
        let all = streams(4)
        let two = scheduler.start { Observable.zip(all[0], all[1]).map { [$0.0, $0.1] } }
        #expect(two.elements == [[0, 1], [10, 11]])
        let again = TestScheduler(initialClock: 0)
        let more = (0..<4).map { again.createHotObservable([.next(210, $0), .completed(220)] as [RecordedEvent<Int>]) }
        let three = again.start { Observable.zip(more[0], more[1], more[2]).map { [$0.0, $0.1, $0.2] } }
        #expect(three.events == [.next(210, [0, 1, 2]), .completed(220)])
    }

    @Test func combinesCollections() {
        let all = streams(3)
        let result = scheduler.start { Observable.zip(all) }
        #expect(result.events == [.next(212, [0, 1, 2]), .next(232, [10, 11, 12]), .completed(250)])
        let none: [Observable<Int>] = []
        let nothing = scheduler.start(created: 1000, subscribed: 1001, disposed: 1100) { Observable.zip(none) }
        #expect(nothing.events == [.completed(1001)])
        let joined = scheduler.start(created: 1200, subscribed: 1201, disposed: 1300) {
            Observable<Int>.zip(none, resultSelector: { $0.count })
        }
        #expect(joined.events == [.completed(1201)])
    }
}
