import Dispatch
import FoundationEssentials
import Rx
import RxTest
import Testing

@Suite struct TimeoutTests {
    @Test func elementsInTimeAreForwarded() {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, scheduler in
            stream.timeout(.seconds(60), scheduler: scheduler)
        }
    }

    @Test func timeoutFailsExactlyWhenDue() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(225, 2), .next(260, 3), .completed(300)]
        check(
            script, gives: [.next(210, 1), .next(225, 2), .error(245, RxError.timeout)], lives: (200, 245)
        ) { stream, scheduler in stream.timeout(.seconds(20), scheduler: scheduler) }
        check(
            [] as [RecordedEvent<Int>], gives: [.error(220, RxError.timeout)] as [RecordedEvent<Int>], lives: (200, 220)
        ) {
            stream, scheduler in stream.timeout(.seconds(20), scheduler: scheduler)
        }
    }

    /// At the tick of the time-out, the source emits before the timer fires, so its element is in time.
    @Test func anElementAtTheTickOfTheTimeoutIsInTime() {
        let script: [RecordedEvent<Int>] = [.next(220, 1), .completed(240)]
        check(script, gives: [.next(220, 1), .completed(240)], lives: (200, 240)) { stream, scheduler in
            stream.timeout(.seconds(20), scheduler: scheduler)
        }
    }

    @Test func timeoutContinuesWithTheOtherStream() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(260, 3)] as [RecordedEvent<Int>])
        let other = scheduler.createColdObservable([.next(10, 8), .completed(20)] as [RecordedEvent<Int>])
        let result = scheduler.start {
            source.timeout(.seconds(20), other: other, scheduler: scheduler)
        }
        #expect(result.events == [.next(210, 1), .next(240, 8), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 230)])
        #expect(other.subscriptions == [Subscription(230, 250)])
    }

    @Test func theOtherIsSubscribedToBeforeTheLateOneIsDisposedOf() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<String>()
        let late = Observable<Int>.create { _ in Disposables.create { log.add("late one disposed") } }
        let other = Observable<Int>.create { observer in
            log.add("other subscribed")
            observer.onNext(1)
            return Disposables.create { log.add("other disposed") }
        }
        let result = scheduler.start(disposed: 300) {
            late.timeout(.seconds(20), other: other, scheduler: scheduler)
        }
        #expect(result.events == [.next(220, 1)])
        #expect(log.all == ["other subscribed", "late one disposed", "other disposed"])
    }

    @Test func theOtherStreamMayFailAndMayBeLate() {
        check(
            [] as [RecordedEvent<Int>], gives: [.error(220, TestError.second)] as [RecordedEvent<Int>],
            lives: (200, 220)
        ) {
            stream, scheduler in
            stream.timeout(.seconds(20), other: Observable.error(TestError.second), scheduler: scheduler)
        }
        check([] as [RecordedEvent<Int>], gives: [] as [RecordedEvent<Int>], lives: (200, 220)) { stream, scheduler in
            stream.timeout(.seconds(20), other: Observable.never(), scheduler: scheduler)
        }
    }

    @Test func timeoutEndsWithItsStreamAndItsSubscription() {
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, scheduler in
            stream.timeout(.seconds(30), scheduler: scheduler)
        }
        check([] as [RecordedEvent<Int>], disposed: 215, gives: [] as [RecordedEvent<Int>], lives: (200, 215)) {
            stream, scheduler in
            stream.timeout(.seconds(20), scheduler: scheduler)
        }
    }

    @Test(arguments: [0, -3])
    func anIntervalOfZeroOrLessIsTheNextTick(_ seconds: Int) {
        check(usual, gives: [.error(201, RxError.timeout)] as [RecordedEvent<Int>], lives: (200, 201)) {
            stream, scheduler in
            stream.timeout(.seconds(seconds), scheduler: scheduler)
        }
    }

    @Test func ticksCanBeMilliseconds() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let source = scheduler.createHotObservable([.next(210, 1), .next(259, 2)] as [RecordedEvent<Int>])
        let result = scheduler.start { source.timeout(.milliseconds(50), scheduler: scheduler) }
        #expect(result.events == [.next(210, 1), .next(259, 2), .error(309, RxError.timeout)])
    }

    /// On the real clock, one timer serves all elements.
    ///
    /// Each element moves the deadline. If the timer fires before it, the timer starts again for the rest of the time.
    @Test func theDeadlineOnTheRealClockMovesWithEachElement() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "timeout")
        let log = Log<String>()
        let done = DispatchSemaphore(value: 0)
        let began = DispatchTime.now().uptimeNanoseconds
        _ = Observable<Int>.interval(.milliseconds(4), scheduler: scheduler).take(5).concat(
            Observable.never()
        )
        .timeout(.seconds(2), scheduler: scheduler)
        .subscribe(
            onNext: { log.add("\($0)") },
            onError: { error in
                log.add("\(error)")
                done.signal()
            })
        done.wait()
        #expect(log.all == ["0", "1", "2", "3", "4", "\(RxError.timeout)"])
        // Each of the five elements moved the deadline by at least 4 ms, so the error comes after 2.02 s or later.
        #expect(DispatchTime.now().uptimeNanoseconds - began >= 2_020_000_000)
    }

    /// The time-out may fire on the scheduler's thread before `timeout` has subscribed to its source.
    @Test func anImmediateTimeoutDisposesOfTheStream() {
        let (subject, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = Log<Int>()
        let subscription = subject.timeout(.seconds(0), other: other, scheduler: ImpatientScheduler())
            .subscribe(onNext: log.add)
        #expect(subject.hasObservers == false)
        subject.onNext(1)
        other.onNext(2)
        subscription.dispose()
        #expect(log.all == [2])
        #expect(other.hasObservers == false)
    }

    /// A scheduler that runs all work at once, even delayed work.
    private struct ImpatientScheduler: SchedulerType {
        var now: RxTime { RxTime(timeIntervalSinceReferenceDate: 0) }

        func schedule<State>(_ state: State, action: @escaping @Sendable (State) -> any Disposable) -> any Disposable {
            action(state)
        }

        func scheduleRelative<State>(
            _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
        ) -> any Disposable {
            action(state)
        }
    }
}
