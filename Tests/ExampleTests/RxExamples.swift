import Rx
import RxTest
import Testing

/// Three sources of one stream: a timer, values that code sends, and a function with callbacks.
func temperatures(_ sent: PublishSubject<Double>, on scheduler: any SchedulerType) -> Observable<Double> {
    let polled = Observable<Int>.interval(.seconds(10), scheduler: scheduler).map { 20 + Double($0) }
    let read = Observable<Double>.create { observer in
        observer.onNext(19.5)
        observer.onCompleted()
        return Disposables.create()
    }
    return Observable.merge(read, sent, polled)
}

/// Rounds, removes repetitions, and keeps the latest value for late subscribers.
func display(_ temperatures: Observable<Double>) -> Observable<String> {
    temperatures
        .map { Int($0.rounded()) }
        .distinctUntilChanged()
        .map { "\($0) °C" }
        .share(replay: 1, scope: .whileConnected)
}

@Test func aDisplayShowsEachNewTemperature() {
    let scheduler = TestScheduler(initialClock: 0)  // a tick is a second
    let sent = PublishSubject<Double>()
    let shown = scheduler.createObserver(String.self)
    let subscription = display(temperatures(sent, on: scheduler)).subscribe(shown)

    scheduler.scheduleAt(5) { sent.onNext(19.8) }
    scheduler.scheduleAt(6) { sent.onNext(22) }
    scheduler.advanceTo(25)

    #expect(
        shown.events == [
            .next(0, "20 °C"), .next(6, "22 °C"), .next(10, "20 °C"), .next(20, "21 °C"),
        ])
    subscription.dispose()
}

@Test func aTimeoutIsTestedWithAHotObservable() {
    let scheduler = TestScheduler(initialClock: 0)
    let values = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(400)])
    let result = scheduler.start { values.timeout(.seconds(50), scheduler: scheduler) }
    #expect(result.events.prefix(2) == [.next(210, 1), .next(220, 2)])
    #expect(result.events.last?.time == 270)
    #expect(values.subscriptions == [Subscription(200, 270)])
}

@Test func asynchronousCodeRunsInVirtualTime() throws {
    let scheduler = TestScheduler(initialClock: 0)  // a tick is a second
    let third = try scheduler.run {
        try await Observable<Int>.interval(.seconds(60), scheduler: scheduler).element(at: 2).asSingle().value
    }
    #expect(third == 2)
    #expect(scheduler.clock == 180)
}

@Test func aStreamIsReadBlocking() throws {
    #expect(try Observable.of(1, 2, 3).map { $0 * 2 }.toBlocking(timeout: 5).toArray() == [2, 4, 6])
}

/// A duration can be computed; a literal is an interval of Dispatch. Both are accepted.
func retried<Value>(_ stream: Observable<Value>, on scheduler: any SchedulerType) -> Observable<Value> {
    let limit = Duration.seconds(1.5)
    return stream.timeout(limit * 2, scheduler: scheduler)
        .retry { (errors: Observable<any Error>) in errors.delay(.milliseconds(250), scheduler: scheduler) }
}
