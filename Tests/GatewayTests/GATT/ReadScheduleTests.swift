import Testing

@testable import Gateway

@Suite struct ReadScheduleTests {
    @Test func `Reads are due at once, and then at the times of a grid`() {
        var schedule = ReadSchedule(intervals: [.seconds(10), .seconds(3)])
        #expect(schedule.due(now: .seconds(5)) == [0, 1])
        schedule.begin(0, now: .seconds(5))
        schedule.begin(1, now: .seconds(5))
        #expect(schedule.due(now: .milliseconds(7999)) == [])
        #expect(schedule.nextDue(now: .seconds(6)) == .seconds(8))
        // A late read does not move the grid.
        schedule.begin(1, now: .milliseconds(8400))
        #expect(schedule.nextDue(now: .seconds(9)) == .seconds(11))
    }

    @Test func `After an outage, a read is due once`() {
        var schedule = ReadSchedule(intervals: [.seconds(1)])
        schedule.begin(0, now: .zero)
        let outage = Duration.seconds(86_400) + .milliseconds(300)
        #expect(schedule.due(now: outage) == [0])
        schedule.begin(0, now: outage)
        #expect(schedule.due(now: outage) == [])
        #expect(schedule.nextDue(now: outage) == .seconds(86_401))
    }

    @Test func `A failed read is repeated before its next time`() {
        var schedule = ReadSchedule(intervals: [.seconds(60)])
        schedule.begin(0, now: .zero)
        schedule.retry(0, at: .seconds(2))
        #expect(schedule.nextDue(now: .seconds(1)) == .seconds(2))
        schedule.begin(0, now: .seconds(2))
        #expect(schedule.nextDue(now: .seconds(3)) == .seconds(62))
    }

    @Test func `The next time is always later, for any interval and any delay`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let interval = Duration.milliseconds(Int.random(in: 100...100_000, using: &random))
            var schedule = ReadSchedule(intervals: [interval])
            var now = Duration.zero
            for _ in 0..<10 {
                for index in schedule.due(now: now) { schedule.begin(index, now: now) }
                let next = schedule.nextDue(now: now) ?? .zero
                #expect(next > now && next <= now + interval)
                now += .microseconds(Int.random(in: 0...1_000_000_000, using: &random))
            }
        }
    }
}
