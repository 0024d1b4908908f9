import Dispatch
import Rx
import RxTest
import Testing

/// Operators on a scheduler with real time, if the wall clock is changed while they wait.
@Suite struct WallClockTests {
    /// Emits 1, 2 and 3 at 100, 200 and 300 ms, and changes the wall clock at 250 ms. Returns the results.
    private func run(
        _ seconds: Double, _ change: (Observable<Int>, any SchedulerType) -> Observable<Int>
    ) -> [String] {
        let virtual = TestScheduler(initialClock: 0, resolution: 0.001)
        let scheduler = SettableRealTimeScheduler(virtual)
        let subject = PublishSubject<Int>()
        let observer = virtual.createObserver(Int.self)
        let subscription = change(subject, scheduler).subscribe(observer)
        for value in 1...3 { virtual.scheduleAt(value * 100) { subject.onNext(value) } }
        virtual.scheduleAt(250) { scheduler.setWallClock(by: seconds) }
        virtual.start()
        subscription.dispose()
        return observer.events.map { "\($0.value.element ?? 0) @ \($0.time / 10)" }
    }

    @Test(arguments: [-3_600.0, 0, 3_600])
    func `Throttle measures its interval without the wall clock`(seconds: Double) {
        #expect(run(seconds) { $0.throttle(.milliseconds(150), latest: false, scheduler: $1) } == ["1 @ 10", "3 @ 30"])
        #expect(run(seconds) { $0.throttle(.milliseconds(250), latest: false, scheduler: $1) } == ["1 @ 10"])
    }

    @Test(arguments: [-3_600.0, 0, 3_600])
    func `Delay keeps the distance of elements when the wall clock is set`(seconds: Double) {
        let delayed = run(seconds) { $0.delay(.milliseconds(190), scheduler: $1) }
        #expect(delayed == ["1 @ 29", "2 @ 39", "3 @ 49"])
    }
}
