import Testing

@testable import DBus

/// The decisions when an event loop pauses before it reads.
struct ReadPausesTests {
    private static let millisecond: UInt64 = 1_000_000

    private var pauses = ReadPauses(interval: .milliseconds(4))

    private mutating func receive(at milliseconds: UInt64, _ messages: Int = 1) {
        pauses.turnEnded(at: 1_000_000_000 + milliseconds * Self.millisecond, hasReceived: true, messages: messages)
    }

    /// Returns the milliseconds at which a pause ends; nil if there is none.
    private mutating func pause() -> UInt64? { pauses.begin().map { ($0 - 1_000_000_000) / Self.millisecond } }

    @Test mutating func `Data at a low rate causes no pause`() {
        for time in stride(from: UInt64(0), to: 100, by: 2) {
            receive(at: time)
            let end = pause()
            #expect(end == nil)
        }
    }

    @Test mutating func `Data that follows other data quickly causes pauses until a pause without data`() {
        receive(at: 10)
        receive(at: 11)
        for time in [15, 19, 23] as [UInt64] {
            let end = pause()
            #expect(end == time)
            receive(at: time)
        }
        _ = pause()
        pauses.turnEnded(at: 1_000_000_000 + 27 * Self.millisecond, hasReceived: false, messages: 0)
        let end = pause()
        #expect(end == nil)
        receive(at: 28)
        let later = pause()
        #expect(later == nil)
    }

    @Test mutating func `With a long interval, pauses end below one message in ten milliseconds`() {
        pauses = ReadPauses(interval: .milliseconds(20))
        receive(at: 10)
        receive(at: 16)
        let slow = pause()
        #expect(slow == nil)
        receive(at: 20)
        let first = pause()
        #expect(first == 40)
        receive(at: 40, 2)
        let second = pause()
        #expect(second == 60)
        receive(at: 60, 1)
        let third = pause()
        #expect(third == nil)
    }

    @Test mutating func `A turn without data between two readings changes nothing`() {
        receive(at: 10)
        pauses.turnEnded(at: 1_000_000_000 + 11 * Self.millisecond, hasReceived: false, messages: 0)
        receive(at: 11)
        let end = pause()
        #expect(end == 15)
    }

    // A socket that is full stops the sender, so long pauses at a high rate would delay all later messages.
    @Test mutating func `A pause ends before more than 40 messages arrive at the present rate`() {
        receive(at: 10)
        _ = pause()
        for (time, messages, expected) in [(12, 80, 13), (20, 80, 24), (40, 12, 44)] as [(UInt64, Int, UInt64)] {
            receive(at: time - 1, messages)
            receive(at: time, 0)
            let end = pause()
            #expect(end == expected)
        }
    }

    @Test mutating func `The messages of several turns without a pause count together`() {
        receive(at: 10)
        receive(at: 11)
        _ = pause()
        for _ in 0..<4 { receive(at: 13, 40) }
        let end = pauses.begin()
        #expect(end == 1_013_500_000)
    }

    @Test func `Without an interval, there is no pause`() {
        var pauses = ReadPauses()
        pauses.turnEnded(at: 10, hasReceived: true, messages: 1)
        pauses.turnEnded(at: 10, hasReceived: true, messages: 1)
        let end = pauses.begin()
        #expect(end == nil)
    }

    @Test(arguments: [Duration.milliseconds(-1), .seconds(Int64.min)])
    func `A negative interval causes no pause`(interval: Duration) {
        #expect(ReadPauses(interval: interval).interval == 0)
    }

    @Test(arguments: [Duration.milliseconds(1001), .seconds(Int64.max)])
    func `An interval is at most one second`(interval: Duration) {
        #expect(ReadPauses(interval: interval).interval == 1_000_000_000)
    }
}
