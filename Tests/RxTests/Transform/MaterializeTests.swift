import Rx
import RxTest
import Testing

@Suite struct MaterializeTests {
    @Test func completionIsAnElement() {
        check(
            [.next(210, 1), .completed(220)] as [RecordedEvent<Int>],
            gives: [.next(210, Event.next(1)), .next(220, .completed), .completed(220)], lives: (200, 220)
        ) { stream, _ in stream.materialize() }
    }

    @Test func anErrorIsAnElementFollowedByCompletion() {
        check(
            failing,
            gives: [
                .next(210, Event.next(1)), .next(220, .next(2)), .next(225, .error(TestError.first)),
                .completed(225),
            ], lives: (200, 225)
        ) { stream, _ in stream.materialize() }
    }

    @Test func dematerializeIsTheInverseOfMaterialize() {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in
            stream.materialize().dematerialize()
        }
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, _ in
            stream.materialize().dematerialize()
        }
    }

    @Test func dematerializeEndsWithTheFirstEndEvent() {
        check(
            [.next(210, .next(1)), .next(220, .completed), .next(230, .next(2)), .completed(300)]
                as [RecordedEvent<Event<Int>>],
            gives: [.next(210, 1), .completed(220)], lives: (200, 220)
        ) { stream, _ in stream.dematerialize() }
        check(
            [.next(210, .error(TestError.second)), .completed(300)] as [RecordedEvent<Event<Int>>],
            gives: [.error(210, TestError.second)], lives: (200, 210)
        ) { stream, _ in stream.dematerialize() }
        check(
            [.next(210, .next(1)), .error(220, TestError.first)] as [RecordedEvent<Event<Int>>],
            gives: [.next(210, 1), .error(220, TestError.first)], lives: (200, 220)
        ) { stream, _ in stream.dematerialize() }
    }
}
