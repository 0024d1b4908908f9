import Rx
import RxTest
import Testing

@Suite struct CombineTests {
    let scheduler = TestScheduler(initialClock: 0)

    func hot(_ events: [Line<Int>]) -> TestableObservable<Int> { scheduler.createHotObservable(events) }
    func cold(_ events: [Line<Int>]) -> TestableObservable<Int> { scheduler.createColdObservable(events) }

    @Test func mergeJoinsAndEndsWithTheLast() {
        let one = hot([.next(210, 1), .next(230, 2), .completed(240)])
        let two = hot([.next(220, 10), .completed(260)])
        let result = scheduler.start { Observable.merge(one.asObservable(), two.asObservable()) }
        #expect(result.events == [.next(210, 1), .next(220, 10), .next(230, 2), .completed(260)])
        #expect(one.subscriptions == [Subscription(200, 240)])
        #expect(two.subscriptions == [Subscription(200, 260)])
    }

    @Test func mergeFailsWithTheFirstThatFails() {
        let one = hot([.next(210, 1), .error(225, TestError.first)])
        let two = hot([.next(220, 10), .completed(260)])
        let result = scheduler.start { Observable.merge([one.asObservable(), two.asObservable()]) }
        #expect(result.events == [.next(210, 1), .next(220, 10), .error(225, TestError.first)])
        #expect(two.subscriptions == [Subscription(200, 225)])
    }

    @Test func mergeOfNothingCompletes() {
        #expect(scheduler.start { Observable<Int>.merge([]) }.events == [.completed(200)])
    }

    @Test func mergeWithALimitLetsTheRestWait() {
        let inners = [
            cold([.next(10, 1), .completed(30)]), cold([.next(10, 2), .completed(50)]), cold([.completed(10)]),
        ]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(211, 1), .next(212, 2), .completed(220)] as [Line<Int>])
        let result = scheduler.start { outer.map { inners[$0] }.merge(maxConcurrent: 2) }
        #expect(result.events == [.next(220, 1), .next(221, 2), .completed(261)])
        #expect(inners[2].subscriptions == [Subscription(240, 250)])
    }

    @Test func concatGoesOnWithTheNext() {
        let one = cold([.next(10, 1), .completed(20)])
        let two = cold([.next(10, 2), .completed(20)])
        let result = scheduler.start { one.concat(two) }
        #expect(result.events == [.next(210, 1), .next(230, 2), .completed(240)])
        #expect(one.subscriptions == [Subscription(200, 220)])
        #expect(two.subscriptions == [Subscription(220, 240)])
    }

    @Test func concatStopsAtAnErrorOrDisposal() {
        let one = cold([.error(20, TestError.first)])
        let two = cold([.next(10, 2), .completed(20)])
        #expect(scheduler.start { one.concat(two) }.events == [.error(220, TestError.first)])
        #expect(two.subscriptions.isEmpty)
        let later = TestScheduler(initialClock: 0)
        let slow = later.createColdObservable([.next(10, 1), .next(50, 2)] as [Line<Int>])
        #expect(
            later.start(disposed: 230) { Observable.concat(slow.asObservable(), .just(1)) }.events == [.next(210, 1)])
        #expect(slow.subscriptions == [Subscription(200, 230)])
    }

    @Test func startWithComesFirst() {
        check(failing, gives: [.next(200, 7), .next(200, 8)] + failing.dropFirst(), lives: (200, 225)) { stream, _ in
            stream.startWith(7, 8)
        }
    }

    @Test func zipPairsInOrder() {
        let one = hot([.next(210, 1), .next(220, 2), .next(250, 3), .completed(260)])
        let two = hot([.next(230, 10), .next(240, 20), .completed(245)])
        let result = scheduler.start { Observable.zip(one, two) { $0 + $1 } }
        #expect(result.events == [.next(230, 11), .next(240, 22), .completed(250)])
        #expect(one.subscriptions == [Subscription(200, 250)])
        #expect(two.subscriptions == [Subscription(200, 245)])
    }

    @Test func zipOfThreeAndOfCollections() {
        let one = hot([.next(210, 1), .completed(300)])
        let two = hot([.next(220, 2), .completed(300)])
        let three = hot([.next(230, 3), .completed(300)])
        let result = scheduler.start { Observable.zip(one, two, three) { [$0, $1, $2] } }
        #expect(result.events == [.next(230, [1, 2, 3]), .completed(300)])
        let none: [Observable<Int>] = []
        #expect(
            scheduler.start(created: 400, subscribed: 410, disposed: 500) { Observable.zip(none) }.events.count == 1)
    }

    @Test func combineLatestJoinsTheLatest() {
        let one = hot([.next(210, 1), .next(230, 2), .completed(260)])
        let two = hot([.next(220, 10), .next(250, 20), .completed(255)])
        let result = scheduler.start { Observable.combineLatest(one, two) { $0 + $1 } }
        #expect(result.events == [.next(220, 11), .next(230, 12), .next(250, 22), .completed(260)])
        #expect(two.subscriptions == [Subscription(200, 255)])
    }

    @Test func combineLatestOfThreeFailsWithAny() {
        let one = hot([.next(210, 1)])
        let two = hot([.next(220, 2)])
        let three = hot([.next(230, 3), .error(240, TestError.first)])
        let result = scheduler.start { Observable.combineLatest(one, two, three) { $0 + $1 + $2 } }
        #expect(result.events == [.next(230, 6), .error(240, TestError.first)])
        #expect(one.subscriptions == [Subscription(200, 240)])
    }

    @Test func combineLatestOfACollection() {
        let one = hot([.next(210, 1), .next(230, 2), .completed(260)])
        let two = hot([.next(220, 10), .completed(240)])
        let result = scheduler.start { Observable.combineLatest([one.asObservable(), two.asObservable()]) }
        #expect(result.events == [.next(220, [1, 10]), .next(230, [2, 10]), .completed(260)])
    }

    @Test func coldStreamsSubscribedTogetherTakeTurns() {
        let log = Log<String>()
        _ = Observable.combineLatest(Observable.of(1, 2), Observable.of("a", "b")) { "\($0)\($1)" }
            .subscribe(onNext: { log.add($0) })
        #expect(log.all == ["1a", "2a", "2b"])
    }

    @Test func withLatestFromTakesTheOthersLatest() {
        let one = hot([.next(205, 0), .next(220, 1), .next(240, 2), .completed(260)])
        let two = hot([.next(210, 10), .next(230, 20), .completed(235)])
        let result = scheduler.start { one.withLatestFrom(two) { $0 + $1 } }
        #expect(result.events == [.next(220, 11), .next(240, 22), .completed(260)])
        #expect(one.subscriptions == [Subscription(200, 260)])
    }

    @Test func ambGoesWithTheFirst() {
        let one = hot([.next(220, 1), .completed(260)])
        let two = hot([.next(210, 10), .next(230, 20), .completed(240)])
        let result = scheduler.start { one.amb(two) }
        #expect(result.events == [.next(210, 10), .next(230, 20), .completed(240)])
        #expect(one.subscriptions == [Subscription(200, 210)])
    }

    @Test func switchLatestGoesWithTheLatest() {
        let inners = [cold([.next(10, 1), .next(30, 2)]), cold([.next(10, 3), .completed(20)])]
        let outer = hot([.next(210, 0), .next(225, 1), .completed(230)])
        let result = scheduler.start { outer.map { inners[$0] }.switchLatest() }
        #expect(result.events == [.next(220, 1), .next(235, 3), .completed(245)])
        #expect(inners[0].subscriptions == [Subscription(210, 225)])
    }
}
