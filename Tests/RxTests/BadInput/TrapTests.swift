import Dispatch
import Rx
import RxTest
import Testing

/// What is a programmer's error traps with one sentence.
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

    @Test func countsThatCannotBeTrap() async {
        await #expect(processExitsWith: .failure) { _ = Observable.range(start: Int.max, count: 2) }
        await #expect(processExitsWith: .failure) { _ = Observable.range(start: Int8(100), count: 100) }
        await #expect(processExitsWith: .failure) { _ = Observable.of(Observable.just(1)).merge(maxConcurrent: 0) }
        await #expect(processExitsWith: .failure) { _ = Observable.of(Observable.just(1)).merge(maxConcurrent: -1) }
    }

    @Test func aClockCannotBeMovedBack() async {
        await #expect(processExitsWith: .failure) { TestScheduler(initialClock: 100).advanceTo(99) }
        await #expect(processExitsWith: .failure) { _ = TestScheduler(initialClock: 0, resolution: 0) }
    }

    @Test func aSlotTakesOneDisposableOnly() async {
        await #expect(processExitsWith: .failure) {
            let slot = SingleAssignmentDisposable()
            slot.setDisposable(Disposables.create())
            slot.setDisposable(Disposables.create())
        }
    }

    /// The trap says in one sentence what was wrong.
    @Test func theSentenceIsTold() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).take(-1)
        }
        let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(told.contains("take needs a count that is not negative."))
    }
}
