import Rx
import RxTest
import Testing

@Suite struct DistinctTests {
    let script: [RecordedEvent<Int>] = [
        .next(210, 1), .next(220, 1), .next(230, 2), .next(240, 1), .completed(250),
    ]

    @Test func consecutiveEqualElementsAreSentOnce() {
        check(
            script, gives: [.next(210, 1), .next(230, 2), .next(240, 1), .completed(250)],
            lives: (200, 250)
        ) {
            stream, _ in stream.distinctUntilChanged()
        }
    }

    @Test func consecutiveElementsWithEqualKeysAreSentOnce() {
        check(script, gives: [.next(210, 1), .completed(250)], lives: (200, 250)) { stream, _ in
            stream.distinctUntilChanged { $0 / 10 }
        }
        check(
            script, gives: [.next(210, 1), .next(230, 2), .next(240, 1), .completed(250)],
            lives: (200, 250)
        ) {
            stream, _ in stream.distinctUntilChanged(at: \.description)
        }
    }

    @Test func theComparerDecidesAboutEquality() {
        check(script, gives: [.next(210, 1), .completed(250)], lives: (200, 250)) { stream, _ in
            stream.distinctUntilChanged { _, _ in true }
        }
        check(script, gives: script, lives: (200, 250)) { stream, _ in
            stream.distinctUntilChanged { _, _ in false }
        }
        // The comparer gets the last forwarded element and the new one, so 4 is the next element that differs from 1 by
        // 3.
        let rising: [RecordedEvent<Int>] = (1...6).map { .next(200 + $0 * 10, $0) }
        check(rising, disposed: 300, gives: [.next(210, 1), .next(240, 4)], lives: (200, 300)) {
            stream, _ in
            stream.distinctUntilChanged { old, new in new - old < 3 }
        }
    }

    @Test func aKeyAndAComparerDecideTogether() {
        check(
            script, gives: [.next(210, 1), .next(230, 2), .next(240, 1), .completed(250)],
            lives: (200, 250)
        ) {
            stream, _ in stream.distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 })
        }
    }

    @Test func aThrowingClosureFailsTheStream() {
        check(script, gives: [.error(210, TestError.second)] as [RecordedEvent<Int>], lives: (200, 210)) {
            stream, _ in
            stream.distinctUntilChanged { _ -> Int in throw TestError.second }
        }
        check(script, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.distinctUntilChanged { _, _ in throw TestError.second }
        }
    }
}
