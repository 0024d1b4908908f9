import Dispatch
import Rx
import RxTest
import Testing

/// The events of RxSwift's tests of buffers and windows with 70 ticks or three elements.
let crowd: [RecordedEvent<Int>] = [
    .next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .next(320, 5), .next(350, 6), .next(370, 7),
    .next(420, 8), .next(470, 9), .completed(600),
]

@Suite struct BufferTests {
    @Test func sendsAnArrayAtTheCountOrTheTime() {
        check(
            crowd,
            gives: [
                .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]), .next(440, [8]), .next(510, [9]),
                .next(580, []), .next(600, []), .completed(600),
            ], lives: (200, 600)
        ) { stream, scheduler in stream.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) }
    }

    @Test func anErrorDropsCollectedElements() {
        check(failing, gives: [.next(220, [1, 2]), .error(225, TestError.first)], lives: (200, 225)) {
            $0.buffer(timeSpan: .seconds(70), count: 2, scheduler: $1)
        }
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<[Int]>], lives: (200, 225)) {
            $0.buffer(timeSpan: .seconds(70), count: 9, scheduler: $1)
        }
    }

    @Test func completionSendsCollectedElements() {
        check(usual, gives: [.next(300, [1, 2, 3, 4, 5]), .completed(300)], lives: (200, 300)) {
            $0.buffer(timeSpan: .seconds(700), count: 9, scheduler: $1)
        }
        check([.completed(220)] as [RecordedEvent<Int>], gives: [.next(220, []), .completed(220)], lives: (200, 220)) {
            $0.buffer(timeSpan: .seconds(700), count: 9, scheduler: $1)
        }
    }

    @Test func disposalDisposesOfTheSourceAndCancelsTheTimer() {
        let scheduler = check(
            crowd, disposed: 375,
            gives: [
                .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]),
            ], lives: (200, 375)
        ) { $0.buffer(timeSpan: .seconds(70), count: 3, scheduler: $1) }
        // The clock has stopped at the source's last event, so no timer of the buffer was left.
        #expect(scheduler.clock == 600)
    }

    @Test func disposalInsideAnArraySetsNoNewTimer() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(crowd.dropLast(4).map { $0 })
        let log = Log<[Int]>()
        let holder = Holder()
        scheduler.scheduleAt(200) {
            holder.hold(
                source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler).subscribe(onNext: {
                    log.add($0)
                    holder.drop()
                }))
        }
        scheduler.start()
        #expect(log.all == [[1, 2, 3]])
        #expect(source.subscriptions == [Subscription(200, 240)])
        #expect(scheduler.clock == 350)
    }

    @Test func elementsSentInsideAnArrayAreInTheNext() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let log = Log<[Int]>()
        let subscription = subject.buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler).subscribe(onNext: {
            log.add($0)
            if log.count == 1 { subject.onNext(3) }
        })
        for number in [1, 2, 4] { subject.onNext(number) }
        #expect(log.all == [[1, 2], [3, 4]])
        subscription.dispose()
    }

    @Test func withoutACountOnlyTheTimeEndsAnArray() {
        for count in [0, -1] {
            check(
                usual, disposed: 291, gives: [.next(230, [1, 2, 3]), .next(260, [4, 5]), .next(290, [])],
                lives: (200, 291)
            ) {
                $0.buffer(timeSpan: .seconds(30), count: count, scheduler: $1)
            }
        }
        check(
            usual, gives: [.next(220, [1, 2]), .next(240, [3, 4]), .next(300, [5]), .completed(300)], lives: (200, 300)
        ) {
            $0.buffer(timeSpan: .never, count: 2, scheduler: $1)
        }
    }

    @Test func aTimeSpanOfZeroSendsAnArrayEachTick() {
        for span in [RxTimeInterval.seconds(0), .seconds(-5)] {
            check(
                [.next(202, 1)] as [RecordedEvent<Int>], disposed: 205,
                gives: [.next(201, []), .next(202, [1]), .next(203, []), .next(204, [])],
                lives: (200, 205)
            ) { $0.buffer(timeSpan: span, count: 9, scheduler: $1) }
        }
    }
}
