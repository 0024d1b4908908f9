import Rx
import RxTest
import Testing

@Suite struct ConcatTests {
    let scheduler = TestScheduler(initialClock: 0)

    func cold(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createColdObservable(events) }

    @Test func concatContinuesWithTheNextStream() {
        let one = cold([.next(10, 1), .completed(20)])
        let two = cold([.next(10, 2), .completed(20)])
        let result = scheduler.start { one.concat(two) }
        #expect(result.events == [.next(210, 1), .next(230, 2), .completed(240)])
        #expect(one.subscriptions == [Subscription(200, 220)])
        #expect(two.subscriptions == [Subscription(220, 240)])
    }

    @Test func concatStopsAtAnError() {
        let one = cold([.error(20, TestError.first)])
        let two = cold([.next(10, 2), .completed(20)])
        #expect(scheduler.start { one.concat(two) }.events == [.error(220, TestError.first)])
        #expect(two.subscriptions.isEmpty)
    }

    @Test func concatStopsAtDisposal() {
        let slow = cold([.next(10, 1), .next(50, 2)])
        let result = scheduler.start(disposed: 230) { Observable.concat(slow.asObservable(), .just(1)) }
        #expect(result.events == [.next(210, 1)])
        #expect(slow.subscriptions == [Subscription(200, 230)])
    }

    @Test func aSequenceIsIteratedAsFarAsStreamsComplete() {
        let walked = Log<Int>()
        let streams = (0..<10).lazy.map { number -> Observable<Int> in
            walked.add(number)
            return number < 2 ? .just(number) : .error(TestError.first)
        }
        let result = scheduler.start { Observable.concat(AnySequence(streams)) }
        #expect(result.events == [.next(200, 0), .next(200, 1), .error(200, TestError.first)])
        #expect(walked.all == [0, 1, 2])
    }

    @Test func concatOfNoStreamsCompletes() {
        #expect(scheduler.start { Observable<Int>.concat([]) }.events == [.completed(200)])
    }

    @Test func manyStreamsThatCompleteAtSubscriptionDoNotRecurse() {
        let log = Log<Int>()
        _ = Observable.concat((0..<1_000).map { Observable.just($0) }).subscribe(onNext: { log.add($0) })
        #expect(log.count == 1_000)
    }

    @Test func concatOfAStreamOfStreamsKeepsTheOrder() {
        let inners = [cold([.next(10, 1), .completed(30)]), cold([.next(10, 2), .completed(20)])]
        let outer = scheduler.createHotObservable(
            [.next(210, 0), .next(220, 1), .completed(230)] as [RecordedEvent<Int>])
        let result = scheduler.start { outer.map { inners[$0] }.concat() }
        #expect(result.events == [.next(220, 1), .next(250, 2), .completed(260)])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 240)], [Subscription(240, 260)]])
    }

    @Test func startWithSendsItsElementsFirst() {
        check(failing, gives: [.next(200, 7), .next(200, 8)] + failing.dropFirst(), lives: (200, 225)) { stream, _ in
            stream.startWith(7, 8)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in stream.startWith() }
    }

    /// 1,000 levels of `concat`, nested in the second stream or in the first, emit all elements.
    @Test func nestedConcatsAreFlattened() {
        var tail = Observable.just(0)
        var head = Observable.just(0)
        for number in 1...1_000 {
            tail = Observable.just(number).concat(tail)
            head = head.concat(Observable.just(number))
        }
        for (stream, first) in [(tail, 1_000), (head, 0)] {
            let log = Log<Int>()
            _ = stream.subscribe(onNext: { log.add($0) }, onCompleted: { log.add(-1) })
            #expect(log.count == 1_002)
            #expect(log.all.first == first && log.all.last == -1)
        }
    }
}
