import Rx
import RxTest
import Testing

@Suite struct MergeTests {
    let scheduler = TestScheduler(initialClock: 0)

    func hot(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createHotObservable(events) }
    func cold(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createColdObservable(events) }

    @Test func mergeCompletesWithTheLastStream() {
        let one = hot([.next(210, 1), .next(230, 2), .completed(240)])
        let two = hot([.next(220, 10), .completed(260)])
        let result = scheduler.start { Observable.merge(one.asObservable(), two.asObservable()) }
        #expect(result.events == [.next(210, 1), .next(220, 10), .next(230, 2), .completed(260)])
        #expect(one.subscriptions == [Subscription(200, 240)])
        #expect(two.subscriptions == [Subscription(200, 260)])
    }

    @Test func mergeFailsWithTheFirstError() {
        let one = hot([.next(210, 1), .error(225, TestError.first)])
        let two = hot([.next(220, 10), .completed(260)])
        let result = scheduler.start { Observable.merge([one.asObservable(), two.asObservable()]) }
        #expect(result.events == [.next(210, 1), .next(220, 10), .error(225, TestError.first)])
        #expect(two.subscriptions == [Subscription(200, 225)])
    }

    @Test func mergeOfNoStreamsCompletes() {
        #expect(scheduler.start { Observable<Int>.merge([]) }.events == [.completed(200)])
    }

    @Test func anErrorAtSubscriptionPreventsFurtherSubscriptions() {
        let two = hot([.next(220, 10)])
        let result = scheduler.start { Observable.merge(.error(TestError.first), two.asObservable()) }
        #expect(result.events == [.error(200, TestError.first)])
        #expect(two.subscriptions.allSatisfy { $0 == Subscription(200, 200) })
    }

    @Test func maxConcurrentMakesFurtherStreamsWait() {
        let inners = [
            cold([.next(10, 1), .completed(30)]), cold([.next(10, 2), .completed(50)]), cold([.completed(10)]),
        ]
        let outer = hot([.next(210, 0), .next(211, 1), .next(212, 2), .completed(220)])
        let result = scheduler.start { outer.map { inners[$0] }.merge(maxConcurrent: 2) }
        #expect(result.events == [.next(220, 1), .next(221, 2), .completed(261)])
        #expect(
            inners.map(\.subscriptions) == [
                [Subscription(210, 240)], [Subscription(211, 261)], [Subscription(240, 250)],
            ])
        #expect(outer.subscriptions == [Subscription(200, 220)])
    }

    @Test func waitingStreamsAreDroppedAtAnErrorOrDisposal() {
        let inners = [cold([.next(10, 1), .error(30, TestError.first)]), cold([.completed(10)])]
        let outer = hot([.next(210, 0), .next(211, 1)])
        let result = scheduler.start { outer.map { inners[$0] }.merge(maxConcurrent: 1) }
        #expect(result.events == [.next(220, 1), .error(240, TestError.first)])
        #expect(inners[1].subscriptions.isEmpty)
        #expect(outer.subscriptions == [Subscription(200, 240)])
        let again = scheduler.start(created: 1000, subscribed: 1001, disposed: 1010) {
            Observable.from([inners[1], inners[0]]).merge(maxConcurrent: 1)
        }
        #expect(again.events.isEmpty)
        #expect(inners[1].subscriptions == [Subscription(1001, 1010)])
    }

    @Test func mergeForwardsAllInnerStreams() {
        let inners = [cold([.next(10, 1), .next(30, 2), .completed(40)]), cold([.next(5, 3), .completed(40)])]
        let outer = hot([.next(210, 0), .next(220, 1), .completed(225)])
        let result = scheduler.start { outer.map { inners[$0] }.merge() }
        #expect(result.events == [.next(220, 1), .next(225, 3), .next(240, 2), .completed(260)])
    }

    @Test func switchLatestForwardsTheLatestStream() {
        let inners = [cold([.next(10, 1), .next(30, 2)]), cold([.next(10, 3), .completed(20)])]
        let outer = hot([.next(210, 0), .next(225, 1), .completed(230)])
        let result = scheduler.start { outer.map { inners[$0] }.switchLatest() }
        #expect(result.events == [.next(220, 1), .next(235, 3), .completed(245)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 225)], [Subscription(225, 245)]])
        #expect(outer.subscriptions == [Subscription(200, 230)])
    }

    @Test func switchLatestCompletesAfterItsOuterStream() {
        let inners = [cold([.next(10, 1), .completed(20)])]
        let outer = hot([.next(210, 0), .completed(300)])
        let result = scheduler.start { outer.map { inners[$0] }.switchLatest() }
        #expect(result.events == [.next(220, 1), .completed(300)])
        #expect(inners[0].subscriptions == [Subscription(210, 230)])
    }

    @Test func switchLatestOfNoStreamsCompletes() {
        #expect(scheduler.start { Observable<Observable<Int>>.empty().switchLatest() }.events == [.completed(200)])
        let failed = scheduler.start(created: 1000, subscribed: 1001, disposed: 1100) {
            Observable<Observable<Int>>.error(TestError.first).switchLatest()
        }
        #expect(failed.events == [.error(1001, TestError.first)])
    }
}
