import Dispatch
import Rx
import RxTest
import Testing

@Suite struct ThrottleTests {
    let script: [RecordedEvent<Int>] = [
        .next(210, 1), .next(215, 2), .next(220, 3), .next(260, 4), .completed(270),
    ]

    @Test func theFirstAndTheLatestElementAreSent() {
        check(
            script, gives: [.next(210, 1), .next(230, 3), .next(260, 4), .completed(270)],
            lives: (200, 270)
        ) {
            stream, scheduler in stream.throttle(.seconds(20), scheduler: scheduler)
        }
    }

    @Test func withoutLatestOnlyTheFirstElementIsSent() {
        check(script, gives: [.next(210, 1), .next(260, 4), .completed(270)], lives: (200, 270)) {
            stream, scheduler in
            stream.throttle(.seconds(20), latest: false, scheduler: scheduler)
        }
    }

    @Test func completionWaitsForTheLatestElement() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(215, 2), .completed(220)]
        check(script, gives: [.next(210, 1), .next(230, 2), .completed(230)], lives: (200, 220)) {
            stream, scheduler in
            stream.throttle(.seconds(20), scheduler: scheduler)
        }
        check(script, gives: [.next(210, 1), .completed(220)], lives: (200, 220)) { stream, scheduler in
            stream.throttle(.seconds(20), latest: false, scheduler: scheduler)
        }
    }

    @Test func anErrorDropsTheWaitingElement() {
        check(failing, gives: [.next(210, 1), .error(225, TestError.first)], lives: (200, 225)) {
            stream, scheduler in
            stream.throttle(.seconds(20), scheduler: scheduler)
        }
    }

    @Test func disposalDropsTheWaitingElement() {
        check(script, disposed: 225, gives: [.next(210, 1)], lives: (200, 225)) { stream, scheduler in
            stream.throttle(.seconds(20), scheduler: scheduler)
        }
    }

    /// An element at the end of the interval is sent. The older element that waited is dropped.
    @Test func anElementAtTheTickOfTheTimerReplacesTheWaitingOne() {
        let script: [RecordedEvent<Int>] = [
            .next(210, 1), .next(215, 2), .next(230, 3), .next(240, 4), .completed(300),
        ]
        check(
            script, gives: [.next(210, 1), .next(230, 3), .next(250, 4), .completed(300)],
            lives: (200, 300)
        ) {
            stream, scheduler in stream.throttle(.seconds(20), scheduler: scheduler)
        }
    }

    @Test(arguments: [0, -3])
    func anIntervalOfZeroOrLessForwardsAllElements(_ seconds: Int) {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, scheduler in
            stream.throttle(.seconds(seconds), scheduler: scheduler)
        }
    }
}
