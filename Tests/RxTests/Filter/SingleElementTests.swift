import Rx
import RxTest
import Testing

@Suite struct SingleElementTests {
    let none: [RecordedEvent<Int>] = [.completed(220)]

    @Test func filterForwardsMatchingElements() {
        check(usual, gives: [.next(220, 2), .next(240, 4), .completed(300)], lives: (200, 300)) {
            stream, _ in
            stream.filter { $0.isMultiple(of: 2) }
        }
        check(usual, gives: [.next(210, 1), .error(220, TestError.first)], lives: (200, 220)) {
            stream, _ in
            stream.filter { if $0 == 2 { throw TestError.first } else { true } }
        }
    }

    @Test func singleRequiresExactlyOneElement() {
        check(
            usual, gives: [.next(210, 1), .error(220, RxError.moreThanOneElement)], lives: (200, 220)
        ) {
            stream, _ in stream.single()
        }
        check(usual, gives: [.next(230, 3), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.single { $0 == 3 }
        }
        check(usual, gives: [.error(300, RxError.noElements)], lives: (200, 300)) { stream, _ in
            stream.single { $0 == 33 }
        }
        check(none, gives: [.error(220, RxError.noElements)], lives: (200, 220)) { stream, _ in
            stream.single()
        }
        check(usual, gives: [.error(220, TestError.second)], lives: (200, 220)) { stream, _ in
            stream.single { if $0 == 2 { throw TestError.second } else { false } }
        }
        check(
            usual, gives: [.next(210, 1), .error(230, RxError.moreThanOneElement)], lives: (200, 230)
        ) {
            stream, _ in stream.single { $0 % 2 == 1 }
        }
    }

    @Test func firstSendsTheFirstElementOrNil() {
        check(usual, gives: [.next(210, 1 as Int?), .completed(210)], lives: (200, 210)) { stream, _ in
            stream.first().asObservable()
        }
        check(none, gives: [.next(220, nil as Int?), .completed(220)], lives: (200, 220)) { stream, _ in
            stream.first().asObservable()
        }
        check(
            [.error(225, TestError.first)] as [RecordedEvent<Int>],
            gives: [.error(225, TestError.first)] as [RecordedEvent<Int?>],
            lives: (200, 225)
        ) { stream, _ in stream.first().asObservable() }
    }

    @Test func elementAtSendsTheElementOfTheIndex() {
        check(usual, gives: [.next(230, 3), .completed(230)], lives: (200, 230)) { stream, _ in
            stream.element(at: 2)
        }
        check(usual, gives: [.next(210, 1), .completed(210)], lives: (200, 210)) { stream, _ in
            stream.element(at: 0)
        }
        check(usual, gives: [.error(300, RxError.argumentOutOfRange)], lives: (200, 300)) { stream, _ in
            stream.element(at: 5)
        }
        check(failing, gives: [.error(225, TestError.first)], lives: (200, 225)) { stream, _ in
            stream.element(at: 2)
        }
    }

    @Test func ignoreElementsForwardsOnlyTheEnd() {
        for (script, end) in [(usual, 300), (failing, 225)] {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable(script)
            let result = scheduler.start { source.ignoreElements() }
            #expect(result.events.map(\.time) == [end])
            #expect(result.events.first?.value.isCompleted == (end == 300))
            #expect(source.subscriptions == [Subscription(200, end)])
        }
    }
}
