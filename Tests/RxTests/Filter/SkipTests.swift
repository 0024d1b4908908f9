import Rx
import RxTest
import Testing

@Suite struct SkipTests {
    @Test(arguments: [(0, 5), (3, 2), (5, 0), (50, 0), (-4, 5)])
    func skipDropsTheFirstElements(_ count: Int, _ rest: Int) {
        check(usual, gives: usual.dropFirst().suffix(rest + 1), lives: (200, 300)) { stream, _ in
            stream.skip(count)
        }
    }

    @Test func skipForwardsTheError() {
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<Int>], lives: (200, 225)) {
            stream, _ in
            stream.skip(7)
        }
        check(failing, gives: [.next(220, 2), .error(225, TestError.first)], lives: (200, 225)) {
            stream, _ in
            stream.skip(1)
        }
    }

    @Test func skipWhileForwardsAllAfterTheFirstOtherElement() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(220, 5), .next(230, 2), .completed(240)]
        check(script, gives: [.next(220, 5), .next(230, 2), .completed(240)], lives: (200, 240)) {
            stream, _ in
            stream.skip(while: { $0 < 4 })
        }
        check(script, gives: [.completed(240)], lives: (200, 240)) { stream, _ in
            stream.skip(while: { _ in true })
        }
    }

    @Test func skipWhileFailsIfItsPredicateThrows() {
        check(usual, gives: [.error(220, TestError.second)] as [RecordedEvent<Int>], lives: (200, 220)) {
            stream, _ in
            stream.skip(while: { if $0 == 2 { throw TestError.second } else { true } })
        }
    }

    @Test func thePredicateIsNotCalledAfterTheFirstOtherElement() {
        let asked = Log<Int>()
        check(usual, gives: Array(usual.dropFirst(2)), lives: (200, 300)) { stream, _ in
            stream.skip(while: { value in
                asked.add(value)
                return value < 2
            })
        }
        #expect(asked.all == [1, 2])
    }
}
