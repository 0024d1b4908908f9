import Dispatch
import Rx
import RxTest
import Testing

/// Programming errors trap, and print one sentence.
@Suite struct TrapTests {
    @Test func negativeCountsTrap() async {
        await #expect(processExitsWith: .failure) { _ = Observable.just(1).take(-1) }
        await #expect(processExitsWith: .failure) { _ = Observable.just(1).takeLast(-1) }
        await #expect(processExitsWith: .failure) { _ = Observable.just(1).element(at: -1) }
        await #expect(processExitsWith: .failure) { _ = Observable.just(1).retry(-1) }
        await #expect(processExitsWith: .failure) { _ = Observable.range(start: 0, count: -1) }
        await #expect(processExitsWith: .failure) { _ = Observable.just(1).share(replay: -1) }
        await #expect(processExitsWith: .failure) { _ = ReplaySubject<Int>.create(bufferSize: -1) }
    }

    @Test func impossibleCountsTrap() async {
        await #expect(processExitsWith: .failure) { _ = Observable.range(start: Int.max, count: 2) }
        await #expect(processExitsWith: .failure) { _ = Observable.range(start: Int8(100), count: 100) }
        await #expect(processExitsWith: .failure) { _ = Observable.of(Observable.just(1)).merge(maxConcurrent: 0) }
        await #expect(processExitsWith: .failure) { _ = Observable.of(Observable.just(1)).merge(maxConcurrent: -1) }
    }

    @Test func movingAVirtualClockBackTraps() async {
        await #expect(processExitsWith: .failure) { TestScheduler(initialClock: 100).advanceTo(99) }
        await #expect(processExitsWith: .failure) { _ = TestScheduler(initialClock: 0, resolution: 0) }
    }

    @Test func settingASingleAssignmentTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            let slot = SingleAssignmentDisposable()
            slot.setDisposable(Disposables.create())
            slot.setDisposable(Disposables.create())
        }
    }

    /// The printed sentence names the mistake.
    @Test func theTrapMessageNamesTheMistake() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).take(-1)
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("take: the count must not be negative."))
    }
}
