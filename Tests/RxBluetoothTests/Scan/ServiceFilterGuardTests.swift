import TestTraits
import Testing

@testable import RxBluetooth

/// The decision not to set a discovery filter with services any more.
struct ServiceFilterGuardTests {
    private func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(time: .seconds(seconds)) }

    @Test func `Two ends soon after the same filter close the guard, once`() {
        var subject = ServiceFilterGuard()
        subject.filterSent([0x180D], on: 0, at: time(0))
        let isNew1 = subject.daemonEnded(at: time(5))
        #expect(!isNew1 && !subject.isClosed)
        subject.filterSent([0x180D], on: 0, at: time(10))
        let isNew2 = subject.daemonEnded(at: time(40))
        #expect(isNew2 && subject.isClosed)
        subject.filterSent([0x180D], on: 0, at: time(50))
        let isNew3 = subject.daemonEnded(at: time(51))
        #expect(!isNew3 && subject.isClosed)
    }

    @Test func `Ends after different filters, or without a filter, do not count together`() {
        var subject = ServiceFilterGuard()
        subject.filterSent([0x180D], on: 0, at: time(0))
        let isNew4 = subject.daemonEnded(at: time(1))
        #expect(!isNew4)
        subject.filterSent([0x180F], on: 0, at: time(2))
        let isNew5 = subject.daemonEnded(at: time(3))
        #expect(!isNew5)
        subject.filterSent([], on: 0, at: time(4))
        let isNew6 = subject.daemonEnded(at: time(5))
        #expect(!isNew6)
        subject.filterSent([0x180F], on: 0, at: time(6))
        subject.filterSent([], on: 0, at: time(7))
        let isNew7 = subject.daemonEnded(at: time(8))
        #expect(!isNew7 && !subject.isClosed)
    }

    @Test func `A filter that bluetoothd has survived for half a minute is not the cause`() {
        var subject = ServiceFilterGuard()
        subject.filterSent([0x180D], on: 0, at: time(0))
        let isNew8 = subject.daemonEnded(at: time(5))
        #expect(!isNew8)
        subject.filterSent([0x180D], on: 0, at: time(10))
        subject.filterSent([0x180D], on: 0, at: time(35))
        let isNew9 = subject.daemonEnded(at: time(41))
        #expect(!isNew9)
        subject.filterSent([0x180D], on: 0, at: time(50))
        let isNew10 = subject.daemonEnded(at: time(51))
        #expect(!isNew10 && !subject.isClosed)
    }

    @Test func `A filter of any adapter counts`() {
        var subject = ServiceFilterGuard()
        for begin in [0, 10] {
            subject.filterSent([], on: 0, at: time(begin))
            subject.filterSent([0x180D], on: 1, at: time(begin))
            _ = subject.daemonEnded(at: time(begin + 1))
        }
        #expect(subject.isClosed)
    }
}
