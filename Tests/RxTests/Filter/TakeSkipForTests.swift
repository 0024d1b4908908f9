import Dispatch
import Rx
import RxTest
import Testing

@Suite struct TakeSkipForTests {
    let two: [RecordedEvent<Int>] = [.next(210, 1), .next(220, 2), .completed(230)]

    @Test func skipForSkipsTheGivenTime() {
        for make in [
            { stream, time, scheduler in stream.skip(time, scheduler: scheduler) },
            { stream, time, scheduler in stream.skip(for: time, scheduler: scheduler) },
        ] as [(Observable<Int>, RxTimeInterval, TestScheduler) -> Observable<Int>] {
            check(two, gives: two, lives: (200, 230)) { make($0, .seconds(0), $1) }
            check(two, gives: two, lives: (200, 230)) { make($0, .seconds(-3), $1) }
            check(two, gives: Array(two.dropFirst()), lives: (200, 230)) { make($0, .seconds(15), $1) }
            check(two, gives: [.completed(230)] as [RecordedEvent<Int>], lives: (200, 230)) {
                make($0, .seconds(50), $1)
            }
            check(two, gives: [.completed(230)] as [RecordedEvent<Int>], lives: (200, 230)) { make($0, .never, $1) }
        }
    }

    @Test func skipForForwardsAnErrorAtOnce() {
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<Int>], lives: (200, 225)) {
            $0.skip(.seconds(50), scheduler: $1)
        }
        let scheduler = check(two, disposed: 215, gives: [] as [RecordedEvent<Int>], lives: (200, 215)) {
            $0.skip(.seconds(500), scheduler: $1)
        }
        #expect(scheduler.clock == 230)
    }

    @Test func takeForCompletesAfterTheGivenTime() {
        check(two, gives: [.completed(201)] as [RecordedEvent<Int>], lives: (200, 201)) {
            $0.take(for: .seconds(0), scheduler: $1)
        }
        check(two, gives: [.completed(201)] as [RecordedEvent<Int>], lives: (200, 201)) {
            $0.take(for: .seconds(-9), scheduler: $1)
        }
        check(two, gives: [.next(210, 1), .completed(215)], lives: (200, 215)) {
            $0.take(for: .seconds(15), scheduler: $1)
        }
        check(two, gives: two, lives: (200, 230)) { $0.take(for: .seconds(50), scheduler: $1) }
        check(two, gives: two, lives: (200, 230)) { $0.take(for: .never, scheduler: $1) }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) {
            $0.take(for: .seconds(50), scheduler: $1)
        }
        let scheduler = check(two, disposed: 205, gives: [] as [RecordedEvent<Int>], lives: (200, 205)) {
            $0.take(for: .seconds(500), scheduler: $1)
        }
        #expect(scheduler.clock == 230)
    }

    @Test func disposalInsideAnElementCancelsTheTimer() {
        for make in [
            { stream, scheduler in stream.take(for: .seconds(500), scheduler: scheduler) },
            { stream, scheduler in stream.skip(for: .seconds(5), scheduler: scheduler) },
        ] as [(Observable<Int>, TestScheduler) -> Observable<Int>] {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable(two)
            let log = Log<Int>()
            let holder = Holder()
            let stream = make(source.asObservable(), scheduler)
            scheduler.scheduleAt(200) {
                holder.hold(
                    stream.subscribe(onNext: {
                        log.add($0)
                        holder.drop()
                    }))
            }
            scheduler.start()
            #expect(log.all == [1])
            #expect(source.subscriptions == [Subscription(200, 210)])
            #expect(scheduler.clock == 230)
        }
    }
}
