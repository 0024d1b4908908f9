import Rx
import RxTest
import Testing

@Suite struct CombineLatestTests {
    let scheduler = TestScheduler(initialClock: 0)

    func hot(_ events: [RecordedEvent<Int>]) -> TestableObservable<Int> { scheduler.createHotObservable(events) }

    @Test func combineLatestCombinesTheLatestElements() {
        let one = hot([.next(210, 1), .next(230, 2), .completed(260)])
        let two = hot([.next(220, 10), .next(250, 20), .completed(255)])
        let result = scheduler.start { Observable.combineLatest(one, two) { $0 + $1 } }
        #expect(result.events == [.next(220, 11), .next(230, 12), .next(250, 22), .completed(260)])
        #expect(two.subscriptions == [Subscription(200, 255)])
    }

    @Test func combineLatestCompletesIfAStreamCompletesEmpty() {
        let one = hot([.completed(210)])
        let two = hot([.next(220, 10), .next(230, 20), .completed(300)])
        let result = scheduler.start { Observable.combineLatest(one, two) { $0 + $1 } }
        #expect(result.events == [.completed(220)])
        #expect(two.subscriptions == [Subscription(200, 220)])
    }

    @Test func combineLatestOfThreeFailsWithAnyError() {
        let one = hot([.next(210, 1)])
        let two = hot([.next(220, 2)])
        let three = hot([.next(230, 3), .error(240, TestError.first)])
        let result = scheduler.start { Observable.combineLatest(one, two, three) { $0 + $1 + $2 } }
        #expect(result.events == [.next(230, 6), .error(240, TestError.first)])
        #expect(one.subscriptions == [Subscription(200, 240)])
    }

    @Test func aThrowingSelectorFailsTheStream() {
        let one = hot([.next(210, 1)])
        let two = hot([.next(220, 2)])
        let result = scheduler.start { Observable<Int>.combineLatest(one, two) { _, _ in throw TestError.second } }
        #expect(result.events == [.error(220, TestError.second)])
        #expect(one.subscriptions == [Subscription(200, 220)])
    }

    func streams(_ arity: Int) -> [Observable<Int>] {
        (0..<arity).map { index in
            hot([.next(210 + index, index), .completed(250 + index)]).asObservable()
        }
    }

    @Test(arguments: 2...8)
    func everyArity(_ arity: Int) {
        let all = streams(arity)
        let result = scheduler.start { () -> Observable<[Int]> in
            switch arity {
            case 2: Observable.combineLatest(all[0], all[1]) { [$0, $1] }
            case 3: Observable.combineLatest(all[0], all[1], all[2]) { [$0, $1, $2] }
            case 4: Observable.combineLatest(all[0], all[1], all[2], all[3]) { [$0, $1, $2, $3] }
            case 5: Observable.combineLatest(all[0], all[1], all[2], all[3], all[4]) { [$0, $1, $2, $3, $4] }
            case 6:
                Observable.combineLatest(all[0], all[1], all[2], all[3], all[4], all[5]) { [$0, $1, $2, $3, $4, $5] }
            case 7:
                Observable.combineLatest(all[0], all[1], all[2], all[3], all[4], all[5], all[6]) {
                    [$0, $1, $2, $3, $4, $5, $6]
                }
            default:
                Observable.combineLatest(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]) {
                    [$0, $1, $2, $3, $4, $5, $6, $7]
                }
            }
        }
        #expect(result.events == [.next(209 + arity, Array(0..<arity)), .completed(249 + arity)])
    }

    @Test func combineLatestWithoutASelectorSendsTuples() {
        let all = streams(3)
        let three = scheduler.start { Observable.combineLatest(all[0], all[1], all[2]).map { [$0.0, $0.1, $0.2] } }
        #expect(three.events == [.next(212, [0, 1, 2]), .completed(252)])
    }

    @Test func combinesCollections() {
        let one = hot([.next(210, 1), .next(230, 2), .completed(260)])
        let two = hot([.next(220, 10), .completed(240)])
        let result = scheduler.start { Observable.combineLatest([one.asObservable(), two.asObservable()]) }
        #expect(result.events == [.next(220, [1, 10]), .next(230, [2, 10]), .completed(260)])
        let none: [Observable<Int>] = []
        let nothing = scheduler.start(created: 1000, subscribed: 1001, disposed: 1100) {
            Observable.combineLatest(none)
        }
        #expect(nothing.events == [.next(1001, []), .completed(1001)])
    }

    @Test("combineLatest of no streams sends the result of an empty array and completes")
    func noStreams() {
        let none: [Observable<Int>] = []
        let log = Log<String>()
        _ = Observable.combineLatest(none) { "\($0.count)" }.subscribe { log.add("\($0)") }
        _ = Observable<String>.combineLatest(none) { _ in throw TestError.first }.subscribe { log.add("\($0)") }
        let infallible: [Infallible<Int>] = []
        _ = Infallible.combineLatest(infallible).subscribe { log.add("\($0)") }
        _ = Infallible.combineLatest(infallible) { $0.count }.subscribe { log.add("\($0)") }
        _ = Observable.combineLatest(none).take(1).subscribe { log.add("\($0)") }
        #expect(
            log.all == [
                "next(0)", "completed", "error(first)", "next([])", "completed", "next(0)", "completed", "next([])",
                "completed",
            ])
    }

    @Test func coldStreamsSubscribedToTogetherAlternate() {
        let log = Log<String>()
        _ = Observable.combineLatest(Observable.of(1, 2), Observable.of("a", "b")) { "\($0)\($1)" }
            .subscribe(onNext: { log.add($0) })
        #expect(log.all == ["1a", "2a", "2b"])
    }
}
