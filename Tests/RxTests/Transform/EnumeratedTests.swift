import Rx
import RxTest
import Testing

@Suite struct EnumeratedTests {
    @Test func elementsAreNumberedFromZero() {
        check(
            usual,
            gives: [
                .next(210, "0 1"), .next(220, "1 2"), .next(230, "2 3"), .next(240, "3 4"), .next(250, "4 5"),
                .completed(300),
            ], lives: (200, 300)
        ) { stream, _ in stream.enumerated().map { "\($0.index) \($0.element)" } }
        check(failing, gives: [.next(210, 0), .next(220, 1), .error(225, TestError.first)], lives: (200, 225)) {
            stream, _ in stream.enumerated().map(\.index)
        }
        check(usual, disposed: 225, gives: [.next(210, 0), .next(220, 1)], lives: (200, 225)) { stream, _ in
            stream.enumerated().map { index, _ in index }
        }
    }

    @Test func eachSubscriptionCountsFromZeroAndReentrantElementsCount() {
        let subject = PublishSubject<String>()
        let log = Log<String>()
        _ = subject.enumerated().subscribe(onNext: { index, element in
            log.add("\(index)\(element)")
            if element == "a" { subject.onNext("b") }
        })
        subject.onNext("a")
        _ = subject.enumerated().subscribe(onNext: { index, element in log.add("\(index)\(element) too") })
        subject.onNext("c")
        #expect(log.all == ["0a", "1b", "2c", "0c too"])
        subject.onCompleted()
    }
}
