import Rx
import RxTest
import Testing

@Suite struct ScanTests {
    @Test func scanSendsIntermediateResults() {
        check(
            usual,
            gives: [
                .next(210, 1), .next(220, 3), .next(230, 6), .next(240, 10), .next(250, 15),
                .completed(300),
            ],
            lives: (200, 300)
        ) { stream, _ in stream.scan(0) { $0 + $1 } }
        check(
            [.completed(220)] as [RecordedEvent<Int>], gives: [.completed(220)] as [RecordedEvent<Int>],
            lives: (200, 220)
        ) {
            stream, _ in stream.scan(42) { $0 + $1 }
        }
    }

    @Test func scanFailsIfItsClosureThrows() {
        check(usual, gives: [.next(210, 1), .error(220, TestError.first)], lives: (200, 220)) {
            stream, _ in
            stream.scan(0) { if $1 == 2 { throw TestError.first } else { $0 + $1 } }
        }
    }

    @Test func scanIntoChangesItsStateInPlace() {
        check(
            failing, gives: [.next(210, [1]), .next(220, [1, 2]), .error(225, TestError.first)],
            lives: (200, 225)
        ) {
            stream, _ in stream.scan(into: []) { $0.append($1) }
        }
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.scan(into: 0) { if $1 == 2 { throw TestError.second } else { $0 += $1 } }
        }
    }

    @Test func eachSubscriptionHasItsOwnState() {
        let subject = PublishSubject<Int>()
        let sums = subject.scan(0) { $0 + $1 }
        let log = Log<String>()
        _ = sums.subscribe(onNext: { log.add("a\($0)") })
        subject.onNext(1)
        _ = sums.subscribe(onNext: { log.add("b\($0)") })
        subject.onNext(2)
        #expect(log.all == ["a1", "a3", "b2"])
    }

    @Test func reduceSendsTheResultAtCompletion() {
        check(usual, gives: [.next(300, 15), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.reduce(0) { $0 + $1 }
        }
        check(usual, gives: [.next(300, "15"), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.reduce(0, accumulator: { $0 + $1 }, mapResult: { "\($0)" })
        }
        check(
            [.completed(220)] as [RecordedEvent<Int>], gives: [.next(220, 42), .completed(220)], lives: (200, 220)
        ) {
            stream, _ in stream.reduce(42) { $0 + $1 }
        }
    }

    @Test func reduceFailsIfAClosureThrows() {
        check(usual, gives: [.error(220, TestError.second)] as [RecordedEvent<Int>], lives: (200, 220)) {
            stream, _ in
            stream.reduce(0) { if $1 == 2 { throw TestError.second } else { $0 + $1 } }
        }
        check(usual, gives: [.error(300, TestError.second)] as [RecordedEvent<Int>], lives: (200, 300)) {
            stream, _ in
            stream.reduce(0, accumulator: { $0 + $1 }, mapResult: { _ in throw TestError.second })
        }
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<Int>], lives: (200, 225)) {
            stream, _ in
            stream.reduce(0) { $0 + $1 }
        }
    }

    @Test func toArrayCollectsAllElements() {
        check(usual, gives: [.next(300, [1, 2, 3, 4, 5]), .completed(300)], lives: (200, 300)) {
            stream, _ in
            stream.toArray().asObservable()
        }
        check(
            [.completed(220)] as [RecordedEvent<Int>], gives: [.next(220, []), .completed(220)], lives: (200, 220)
        ) {
            stream, _ in stream.toArray().asObservable()
        }
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<[Int]>], lives: (200, 225)) {
            stream, _ in
            stream.toArray().asObservable()
        }
    }

    /// `scan(into:)` changes its state in place, so a growing state is not copied for each element.
    @Test func theStateIsChangedInPlace() {
        final class Storage: Sendable {}
        let subject = PublishSubject<Int>()
        let log = Log<Bool>()
        let subscription = subject.scan(into: Storage?.none) { state, _ in
            if var storage = state.take() {
                log.add(isKnownUniquelyReferenced(&storage))
                state = storage
            } else {
                state = Storage()
            }
        }
        .subscribe()
        for number in 1...3 { subject.onNext(number) }
        subscription.dispose()
        #expect(log.all == [true, true])
    }

    /// If the closure itself sends an element, this element is processed after the current one.
    @Test func elementsCausedByTheClosureAreProcessedAfterIt() {
        let subject = PublishSubject<Int>()
        let log = Log<[Int]>()
        let subscription = subject.scan(into: [Int]()) { state, element in
            if element == 1 { [10, 11].forEach { subject.onNext($0) } }
            state.append(element)
        }
        .subscribe(onNext: log.add)
        [1, 2].forEach { subject.onNext($0) }
        subscription.dispose()
        #expect(log.all == [[1], [1, 10], [1, 10, 11], [1, 10, 11, 2]])
    }
}
