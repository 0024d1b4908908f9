import Dispatch
import Testing

@testable import RxBluetooth

struct TimeIntervalTests {
    private static let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)

    @Test(
        "A time interval for a scheduler is at least zero and at most 285 years",
        arguments: [
            (.seconds(Int64.min) * 2, 0), (.seconds(-1), 0), (.zero, 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 1), 0), (.nanoseconds(1), 1),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999_999), 1_000_000_000),
            (.seconds(9_000_000_000) - .nanoseconds(1), 8_999_999_999_999_999_999),
            (.seconds(9_000_000_001), 9_000_000_000_000_000_000), (.seconds(Int64.max), 9_000_000_000_000_000_000),
            (longest, 9_000_000_000_000_000_000), (longest + longest, 9_000_000_000_000_000_000),
        ] as [(Duration, Int)])
    func limits(_ duration: Duration, nanoseconds: Int) {
        #expect(duration.timeInterval == .nanoseconds(nanoseconds))
    }
}
