import Rx
import RxTest
import Testing

@Suite struct JustEmptyNeverErrorTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func justSendsItsElementAtSubscription() {
        #expect(scheduler.start { Observable.just(7) }.events == [.next(200, 7), .completed(200)])
    }

    @Test func justOnASchedulerTakesATickForEachEvent() {
        let scheduler = scheduler
        #expect(
            scheduler.start { Observable.just(7, scheduler: scheduler) }.events == [
                .next(201, 7), .completed(202),
            ])
        let cut = scheduler.start(created: 1000, subscribed: 1100, disposed: 1101) {
            Observable.just(7, scheduler: scheduler)
        }
        #expect(cut.events.isEmpty)
    }

    @Test func emptyNeverAndErrorSendTheirEvents() {
        #expect(scheduler.start { Observable<Int>.empty() }.events == [.completed(200)])
        let never = scheduler.start(created: 1100, subscribed: 1200, disposed: 2000) {
            Observable<Int>.never()
        }
        #expect(never.events.isEmpty)
        let error = scheduler.start(created: 2100, subscribed: 2200, disposed: 3000) {
            Observable<Int>.error(TestError.first)
        }
        #expect(error.events == [.error(2200, TestError.first)])
    }

    @Test func ofAndFromTakeATickForEachEvent() {
        let scheduler = scheduler
        let of = scheduler.start { Observable.of(1, 2, 3, scheduler: scheduler) }
        #expect(of.events == [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)])
        let from = scheduler.start(created: 1100, subscribed: 1200, disposed: 1203) {
            Observable.from([1, 2, 3], scheduler: scheduler)
        }
        #expect(from.events == [.next(1201, 1), .next(1202, 2)])
        let set = scheduler.start(created: 2100, subscribed: 2200, disposed: 2300) {
            Observable.from(Set([5]), scheduler: scheduler)
        }
        #expect(set.events == [.next(2201, 5), .completed(2202)])
        let none = scheduler.start(created: 3100, subscribed: 3200, disposed: 3300) {
            Observable<Int>.from([], scheduler: scheduler)
        }
        #expect(none.events == [.completed(3201)])
    }

    @Test func onTheCurrentThreadAllEventsAreSentAtSubscription() {
        let result = scheduler.start { Observable.of(1, 2) }
        #expect(result.events == [.next(200, 1), .next(200, 2), .completed(200)])
    }

    @Test func anEndlessSequenceIsIteratedAsFarAsNeeded() {
        let log = Log<Int>()
        let endless = sequence(first: 1) { $0 * 2 }
        for _ in 0..<2 { _ = Observable.from(endless).take(3).subscribe(onNext: { log.add($0) }) }
        #expect(log.all == [1, 2, 4, 1, 2, 4])
    }

    @Test func fromAnOptionalSendsTheElementOrNothing() {
        #expect(
            scheduler.start { Observable.from(optional: 4 as Int?) }.events == [
                .next(200, 4), .completed(200),
            ])
        let none = scheduler.start(created: 1100, subscribed: 1200, disposed: 1300) {
            Observable<Int>.from(optional: nil)
        }
        #expect(none.events == [.completed(1200)])
    }

    @Test func rangeSendsConsecutiveNumbers() {
        let scheduler = scheduler
        let three = scheduler.start { Observable.range(start: 4, count: 3, scheduler: scheduler) }
        #expect(three.events == [.next(201, 4), .next(202, 5), .next(203, 6), .completed(204)])
        let cut = scheduler.start(created: 1100, subscribed: 1200, disposed: 1203) {
            Observable.range(start: -10, count: 5, scheduler: scheduler)
        }
        #expect(cut.events == [.next(1201, -10), .next(1202, -9)])
        let none = scheduler.start(created: 2100, subscribed: 2200, disposed: 2300) {
            Observable.range(start: 0, count: 0, scheduler: scheduler)
        }
        #expect(none.events == [.completed(2201)])
        let last = scheduler.start(created: 3100, subscribed: 3200, disposed: 3300) {
            Observable.range(start: Int.max, count: 1)
        }
        #expect(last.events == [.next(3200, .max), .completed(3200)])
    }
}
