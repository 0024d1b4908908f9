import Dispatch
import Rx
import RxTest
import Testing

@Suite struct TakeTests {
    @Test func takeCompletesAfterItsCount() {
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(220)], lives: (200, 220)) {
            stream, _ in
            stream.take(2)
        }
        check(usual, gives: [.next(210, 1), .completed(210)], lives: (200, 210)) { stream, _ in
            stream.take(1)
        }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, _ in
            stream.take(5)
        }
        check(usual, disposed: 215, gives: [.next(210, 1)], lives: (200, 215)) { stream, _ in
            stream.take(5)
        }
    }

    @Test func takeOfZeroDoesNotSubscribe() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start { source.take(0) }
        #expect(result.events == [.completed(200)])
        #expect(source.subscriptions.isEmpty)
    }

    /// `take` counts an element before it forwards it, so elements that the subscriber sends count too.
    @Test func aReentrantElementCounts() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.take(2).subscribe(
            onNext: { value in
                log.add("\(value)")
                if value < 5 { subject.onNext(value + 1) }
            }, onCompleted: { log.add(".") })
        subject.onNext(1)
        #expect(log.all == ["1", "2", "."])
        #expect(!subject.hasObservers)
    }

    @Test func takeLastWaitsForCompletion() {
        check(usual, gives: [.next(300, 4), .next(300, 5), .completed(300)], lives: (200, 300)) {
            stream, _ in
            stream.takeLast(2)
        }
        check(usual, gives: [.completed(300)], lives: (200, 300)) { stream, _ in stream.takeLast(0) }
        check(usual, gives: (1...5).map { .next(300, $0) } + [.completed(300)], lives: (200, 300)) {
            stream, _ in
            stream.takeLast(50)
        }
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<Int>], lives: (200, 225)) {
            stream, _ in
            stream.takeLast(2)
        }
    }

    @Test func takeForCompletesAfterItsTime() {
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(225)], lives: (200, 225)) {
            stream, scheduler in
            stream.take(for: .seconds(25), scheduler: scheduler)
        }
        // With a time of zero or less, `take(for:)` completes at the next tick.
        check(usual, gives: [.completed(201)], lives: (200, 201)) { stream, scheduler in
            stream.take(for: .seconds(0), scheduler: scheduler)
        }
        check(usual, gives: [.completed(201)], lives: (200, 201)) { stream, scheduler in
            stream.take(for: .seconds(-7), scheduler: scheduler)
        }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, scheduler in
            stream.take(for: .seconds(26), scheduler: scheduler)
        }
    }

    @Test func takeWhileCompletesAtTheFirstOtherElement() {
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(230)], lives: (200, 230)) {
            stream, _ in
            stream.take(while: { $0 < 3 })
        }
        check(
            usual, gives: [.next(210, 1), .next(220, 2), .next(230, 3), .completed(230)],
            lives: (200, 230)
        ) { stream, _ in stream.take(while: { $0 < 3 }, behavior: .inclusive) }
        check(usual, gives: [.completed(210)], lives: (200, 210)) { stream, _ in
            stream.take(while: { _ in false })
        }
    }

    @Test func takeUntilCompletesWhenThePredicateIsTrue() {
        check(usual, gives: [.next(210, 1), .completed(220)], lives: (200, 220)) { stream, _ in
            stream.take(until: { $0 == 2 })
        }
        check(usual, gives: [.next(210, 1), .next(220, 2), .completed(220)], lives: (200, 220)) {
            stream, _ in
            stream.take(until: { $0 == 2 }, behavior: .inclusive)
        }
    }

    @Test(arguments: [TakeBehavior.inclusive, .exclusive])
    func aThrowingPredicateFailsTheStream(_ behavior: TakeBehavior) {
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.take(
                while: { if $0 == 2 { throw TestError.second } else { true } }, behavior: behavior)
        }
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.take(
                until: { if $0 == 2 { throw TestError.second } else { false } }, behavior: behavior)
        }
    }
}
