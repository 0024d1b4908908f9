import Rx
import RxTest
import Testing

@Suite struct AmbTests {
    let scheduler = TestScheduler(initialClock: 0)

    func hot(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createHotObservable(events) }

    @Test func ambForwardsTheStreamThatSendsFirst() {
        let one = hot([.next(220, 1), .completed(260)])
        let two = hot([.next(210, 10), .next(230, 20), .completed(240)])
        let result = scheduler.start { one.amb(two) }
        #expect(result.events == [.next(210, 10), .next(230, 20), .completed(240)])
        #expect(one.subscriptions == [Subscription(200, 210)])
        #expect(two.subscriptions == [Subscription(200, 240)])
    }

    @Test func ambForwardsAnEndThatComesFirst() {
        let one = hot([.completed(210)])
        let two = hot([.next(220, 1)])
        #expect(scheduler.start { one.amb(two) }.events == [.completed(210)])
        #expect(two.subscriptions == [Subscription(200, 210)])
        let failed = scheduler.start(created: 1000, subscribed: 1001, disposed: 1100) {
            Observable<Int>.never().amb(Observable.error(TestError.first))
        }
        #expect(failed.events == [.error(1001, TestError.first)])
    }

    @Test func disposalBeforeTheFirstEventDisposesOfBothStreams() {
        let one = hot([.next(250, 1)])
        let two = hot([.next(260, 1)])
        #expect(scheduler.start(disposed: 240) { one.amb(two) }.events.isEmpty)
        #expect(one.subscriptions == [Subscription(200, 240)])
        #expect(two.subscriptions == [Subscription(200, 240)])
    }

    @Test func ambOfManyStreamsForwardsTheFirst() {
        let streams = [hot([.next(230, 1)]), hot([.next(210, 2), .next(250, 3)]), hot([.next(220, 4)])]
        let result = scheduler.start { Observable.amb(streams.map { $0.asObservable() }) }
        #expect(result.events == [.next(210, 2), .next(250, 3)])
        #expect(
            streams.map(\.subscriptions) == [
                [Subscription(200, 210)], [Subscription(200, 1000)], [Subscription(200, 210)],
            ])
    }

    /// As in RxSwift, `amb` of an empty collection is `never`.
    @Test func ambOfNoStreamsNeverSendsAnEvent() {
        #expect(scheduler.start { Observable<Int>.amb([]) }.events.isEmpty)
    }
}
