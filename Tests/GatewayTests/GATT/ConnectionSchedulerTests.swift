import RxBluetooth
import Testing

@testable import Gateway

@Suite struct ConnectionSchedulerTests {
    private let a: BluetoothAddress = "C0:FF:EE:00:00:01"
    private let b: BluetoothAddress = "C0:FF:EE:00:00:02"
    private let c: BluetoothAddress = "C0:FF:EE:00:00:03"

    private func scheduler(links: Int, _ addresses: [BluetoothAddress]) -> ConnectionScheduler {
        var settings = ConnectionScheduler.Settings()
        settings.maximumLinks = links
        var scheduler = ConnectionScheduler(settings)
        for address in addresses {
            scheduler.setJobs(true, of: address, now: .zero)
            scheduler.setHeard(true, address, now: .zero)
        }
        return scheduler
    }

    @Test func `One attempt runs at a time`() {
        var scheduler = scheduler(links: 3, [a, b])
        #expect(scheduler.decide(now: .zero).actions == [.connect(a)])
        #expect(scheduler.decide(now: .seconds(5)).actions == [])
        scheduler.connected(a, now: .seconds(5))
        #expect(scheduler.decide(now: .seconds(5)).actions == [.connect(b)])
    }

    @Test func `A device that is not heard is not connected`() {
        var scheduler = scheduler(links: 3, [a])
        scheduler.setHeard(false, a, now: .zero)
        scheduler.setCommands(1, of: a, now: .zero)
        #expect(scheduler.decide(now: .zero).actions == [])
        scheduler.setHeard(true, a, now: .seconds(1))
        #expect(scheduler.decide(now: .seconds(1)).actions == [.connect(a)])
    }

    @Test func `A device gives its link to the next one after its stay`() {
        var scheduler = scheduler(links: 1, [a, b])
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .seconds(1))
        let decision = scheduler.decide(now: .seconds(1))
        #expect(decision.actions == [] && decision.wake == .seconds(31))
        #expect(scheduler.decide(now: .seconds(31)).actions == [.disconnect(a)])
        #expect(scheduler.decide(now: .seconds(32)).actions == [])
        scheduler.ended(a, .closed, now: .seconds(32))
        #expect(scheduler.decide(now: .seconds(32)).actions == [.connect(b)])
    }

    @Test func `A link stays while no other device needs one`() {
        var scheduler = scheduler(links: 1, [a])
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .zero)
        #expect(scheduler.decide(now: .seconds(86_400)).actions == [])
    }

    @Test func `A link without need gives way at once, and is closed if the pause is long`() {
        var scheduler = scheduler(links: 1, [a, b])
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .seconds(1))
        scheduler.setIdle(until: .seconds(20), a)
        #expect(scheduler.decide(now: .seconds(1)).actions == [.disconnect(a)])

        var other = self.scheduler(links: 5, [a])
        _ = other.decide(now: .zero)
        other.connected(a, now: .seconds(1))
        other.setIdle(until: .seconds(30), a)
        #expect(other.decide(now: .seconds(1)).actions == [])
        other.setIdle(until: .seconds(3600), a)
        #expect(other.decide(now: .seconds(1)).actions == [.disconnect(a)])
        other.ended(a, .closed, now: .seconds(2))
        let decision = other.decide(now: .seconds(2))
        #expect(decision.actions == [] && decision.wake == .seconds(3600))
        #expect(other.decide(now: .seconds(3600)).actions == [.connect(a)])
    }

    @Test func `A refused link lowers the limit, which is tried again later`() {
        var scheduler = scheduler(links: 10, [a, b, c])
        for address in [a, b] {
            _ = scheduler.decide(now: .zero)
            scheduler.connected(address, now: .zero)
        }
        #expect(scheduler.decide(now: .zero).actions == [.connect(c)])
        scheduler.ended(c, .noFreeSlot, now: .zero)
        #expect(scheduler.limit == 2)
        // The device that was refused is the next one.
        #expect(scheduler.decide(now: .seconds(31)).actions == [.disconnect(a)])
        scheduler.ended(a, .closed, now: .seconds(31))
        #expect(scheduler.decide(now: .seconds(31)).actions == [.connect(c)])
        scheduler.connected(c, now: .seconds(32))
        _ = scheduler.decide(now: .seconds(300))
        #expect(scheduler.limit == 3)
    }

    @Test func `A command takes the link of a job early, but the next one later`() {
        var scheduler = scheduler(links: 1, [a, b])
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .zero)
        scheduler.setCommands(1, of: b, now: .seconds(1))
        #expect(scheduler.decide(now: .seconds(1)).actions == [])
        #expect(scheduler.decide(now: .seconds(3)).actions == [.disconnect(a)])
        scheduler.ended(a, .closed, now: .seconds(3))
        #expect(scheduler.decide(now: .seconds(3)).actions == [.connect(b)])
        scheduler.connected(b, now: .seconds(4))
        scheduler.setCommands(0, of: b, now: .seconds(5))
        #expect(scheduler.decide(now: .seconds(34)).actions == [.disconnect(b)])
        scheduler.ended(b, .closed, now: .seconds(34))
        #expect(scheduler.decide(now: .seconds(34)).actions == [.connect(a)])
        scheduler.connected(a, now: .seconds(35))
        scheduler.setCommands(1, of: b, now: .seconds(36))
        #expect(scheduler.decide(now: .seconds(44)).actions == [])
        #expect(scheduler.decide(now: .seconds(45)).actions == [.disconnect(a)])
    }

    @Test func `A device without jobs keeps its link for a moment after its command`() {
        var scheduler = scheduler(links: 1, [])
        scheduler.setHeard(true, a, now: .zero)
        scheduler.setCommands(1, of: a, now: .zero)
        #expect(scheduler.decide(now: .zero).actions == [.connect(a)])
        scheduler.connected(a, now: .seconds(1))
        scheduler.setCommands(0, of: a, now: .seconds(2))
        let decision = scheduler.decide(now: .seconds(2))
        #expect(decision.actions == [] && decision.wake == .seconds(7))
        #expect(scheduler.decide(now: .seconds(7)).actions == [.disconnect(a)])
    }

    @Test func `Failures of one device are delayed more and more`() {
        var scheduler = scheduler(links: 1, [a])
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<9 {
            #expect(scheduler.decide(now: now).actions == [.connect(a)])
            scheduler.ended(a, .failed, now: now)
            let next = scheduler.decide(now: now).wake ?? .zero
            pauses.append(next - now)
            now = next
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test(arguments: [2, 3])
    func `After three failed attempts in a row, another device is first`(failures: Int) {
        var scheduler = scheduler(links: 1, [a, b])
        scheduler.setHeard(false, b, now: .zero)
        for attempt in 1...failures {
            #expect(scheduler.decide(now: .seconds(attempt * 100)).actions == [.connect(a)])
            scheduler.ended(a, .failed, now: .seconds(attempt * 100))
        }
        scheduler.setHeard(true, b, now: .seconds(900))
        #expect(scheduler.decide(now: .seconds(900)).actions == [.connect(failures == 3 ? b : a)])
    }

    @Test func `A device with commands keeps its link for twice the stay of a job`() {
        var scheduler = scheduler(links: 1, [a, b])
        scheduler.setCommands(2, of: a, now: .zero)
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .zero)
        scheduler.setCommands(1, of: b, now: .seconds(1))
        #expect(scheduler.decide(now: .seconds(59)).actions == [])
        #expect(scheduler.decide(now: .seconds(60)).actions == [.disconnect(a)])
    }

    @Test func `A link without need gives way before an older one that is needed`() {
        var scheduler = scheduler(links: 2, [a, b])
        for address in [a, b] {
            _ = scheduler.decide(now: .zero)
            scheduler.connected(address, now: .zero)
        }
        scheduler.setIdle(until: .seconds(80), b)
        scheduler.setJobs(true, of: c, now: .seconds(40))
        scheduler.setHeard(true, c, now: .seconds(40))
        #expect(scheduler.decide(now: .seconds(40)).actions == [.disconnect(b)])
    }

    @Test func `A link that is refused again is tried after twice the time`() {
        var scheduler = scheduler(links: 10, [a, b])
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .zero)
        for (start, delay) in [(0, 300), (300, 600), (900, 1200), (2100, 2400), (4500, 3600), (8100, 3600)] {
            #expect(scheduler.decide(now: .seconds(start)).actions.contains(.connect(b)), "\(start)")
            scheduler.ended(b, .noFreeSlot, now: .seconds(start))
            #expect(scheduler.limit == 1)
            scheduler.setHeard(false, b, now: .seconds(start))
            _ = scheduler.decide(now: .seconds(start + delay - 1))
            #expect(scheduler.limit == 1, "\(start)")
            scheduler.setHeard(true, b, now: .seconds(start + delay))
        }
    }

    @Test func `During an outage nothing is attempted, and afterwards there is no backoff`() {
        var scheduler = scheduler(links: 3, [a])
        for second in [0, 100, 200, 300] {
            #expect(scheduler.decide(now: .seconds(second)).actions == [.connect(a)])
            scheduler.ended(a, .failed, now: .seconds(second))
        }
        scheduler.setAvailable(false, now: .seconds(301))
        #expect(scheduler.decide(now: .seconds(400)).actions == [])
        scheduler.setAvailable(true, now: .seconds(302))
        #expect(scheduler.decide(now: .seconds(302)).actions == [.connect(a)])
        scheduler.ended(a, .outage, now: .seconds(303))
        scheduler.setAvailable(false, now: .seconds(303))
        #expect(scheduler.decide(now: .seconds(400)).actions == [])
        scheduler.setAvailable(true, now: .seconds(500))
        #expect(scheduler.decide(now: .seconds(500)).actions == [.connect(a)])
    }

    @Test func `Without jobs of this gateway, an attempt is cancelled and a link closed`() {
        var scheduler = scheduler(links: 2, [a, b])
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .zero)
        _ = scheduler.decide(now: .zero)
        scheduler.setJobs(false, of: a, now: .seconds(1))
        scheduler.setJobs(false, of: b, now: .seconds(1))
        #expect(scheduler.decide(now: .seconds(1)).actions == [.disconnect(a), .cancel(b)])
    }
}
