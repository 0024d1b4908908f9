import Testing

@testable import DBus

@Suite struct MonotonicClockTests {
    private static let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
    private static let tooLong = Int64.max / 1_000_000_000

    @Test(
        "A delay in nanoseconds is rounded up, and any length fits",
        arguments: [
            (.seconds(Int64.min) * 2, 0),
            (.seconds(Int64.min), 0),
            (Duration(secondsComponent: 0, attosecondsComponent: -1), 0),
            (.zero, 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
            (.nanoseconds(1), 1),
            (.nanoseconds(1) + Duration(secondsComponent: 0, attosecondsComponent: 1), 2),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999_999), 1_000_000_000),
            (.seconds(25), 25_000_000_000),
            (.seconds(tooLong) - .nanoseconds(1), UInt64(tooLong) * 1_000_000_000 - 1),
            (.seconds(tooLong), .max),
            (.seconds(Int64.max), .max),
            (longest, .max),
            (longest + longest, .max),
        ] as [(Duration, UInt64)])
    func wholeNanoseconds(_ delay: Duration, _ expected: UInt64) {
        #expect(delay.wholeNanoseconds == expected)
    }

    @Test("A delay that is not positive ends now, and one of centuries never ends")
    func moments() {
        let before = MonotonicClock.now
        for delay in [.zero, .seconds(Int64.min), .zero - Self.longest] as [Duration] {
            let moment = MonotonicClock.moment(after: delay)
            #expect(before <= moment && moment <= MonotonicClock.now)
        }
        #expect(MonotonicClock.moment(after: Duration(secondsComponent: 0, attosecondsComponent: 1)) > before)
        #expect(MonotonicClock.moment(after: .seconds(Int64.max)) == .max)
        #expect(MonotonicClock.moment(after: Self.longest + Self.longest) == .max)
    }
}
