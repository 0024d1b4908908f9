import Testing

@testable import DBus

/// The decisions when an event loop pauses before it reads.
struct ReadPausesTests {
    private static let millisecond: UInt64 = 1_000_000

    private var pauses = ReadPauses(interval: .milliseconds(4))

    private mutating func receive(at milliseconds: UInt64) {
        pauses.turnEnded(at: 1_000_000_000 + milliseconds * Self.millisecond, hasReceived: true)
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
        pauses.turnEnded(at: 1_000_000_000 + 27 * Self.millisecond, hasReceived: false)
        let end = pause()
        #expect(end == nil)
        receive(at: 28)
        let later = pause()
        #expect(later == nil)
    }

    @Test mutating func `A turn without data between two readings changes nothing`() {
        receive(at: 10)
        pauses.turnEnded(at: 1_000_000_000 + 11 * Self.millisecond, hasReceived: false)
        receive(at: 11)
        let end = pause()
        #expect(end == 15)
    }

    @Test func `Without an interval, there is no pause`() {
        var pauses = ReadPauses()
        pauses.turnEnded(at: 10, hasReceived: true)
        pauses.turnEnded(at: 10, hasReceived: true)
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
