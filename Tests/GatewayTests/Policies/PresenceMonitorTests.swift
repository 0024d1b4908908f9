import RxBluetooth
import Testing

@testable import Gateway

struct PresenceMonitorTests {
    private let device: BluetoothAddress = "A4:C1:38:00:00:01"

    private func monitor(capacity: Int = 100) -> PresenceMonitor {
        PresenceMonitor(PublishingSettings(), capacity: capacity)
    }

    @Test func `A device is found, lost after the timeout, and found again`() {
        var monitor = monitor()
        #expect(monitor.hear(device, rssi: -60, at: .seconds(0)).map(\.kind) == [.found])
        #expect(monitor.hear(device, rssi: -60, at: .seconds(30)) == [])
        #expect(monitor.nextDeadline == .seconds(90))
        #expect(monitor.expire(at: .milliseconds(89_999)) == [])
        let lost = monitor.expire(at: .seconds(90))
        #expect(lost.map(\.kind) == [.lost] && lost.first?.lastHeard == .seconds(30) && lost.first?.rssi == -60)
        #expect(!monitor.isPresent(device) && monitor.nextDeadline == nil)
        #expect(monitor.hear(device, rssi: -60, at: .seconds(100)).map(\.kind) == [.found])
    }

    @Test func `A device with a link is in range, and lost after the timeout from its end`() {
        var monitor = monitor()
        #expect(monitor.setLinked(true, device, at: .zero).map(\.kind) == [.found])
        var changes: [PresenceMonitor.Change] = []
        for second in 1...1_000 { changes += monitor.expire(at: .seconds(second)) }
        #expect(Set(changes.map(\.kind)) == [.updated] && changes.count < 5, "\(changes)")
        #expect(monitor.setLinked(false, device, at: .seconds(1_010)).isEmpty)
        #expect(monitor.setLinked(false, device, at: .seconds(1_050)).isEmpty)
        #expect(monitor.expire(at: .seconds(1_069)).isEmpty)
        #expect(monitor.expire(at: .seconds(1_070)).map(\.kind) == [.lost])
    }

    @Test func `The signal strength is smoothed`() throws {
        var monitor = monitor()
        _ = monitor.hear(device, rssi: -60, at: .seconds(0))
        _ = monitor.hear(device, rssi: -80, at: .seconds(1))
        let early = try #require(monitor.rssi(of: device))
        #expect(early < -61 && early > -63)
        for second in 2...60 { _ = monitor.hear(device, rssi: -80, at: .seconds(second)) }
        let late = try #require(monitor.rssi(of: device))
        #expect(late < -79 && late > -80.1)
    }

    @Test func `Noise of 6 dB does not make messages`() {
        var monitor = monitor()
        var updates = 0
        for step in 1...2_400 {
            let noise = [-6, 6, -3, 3, 0, 5, -5, 1][step * 7 % 8]
            let changes = monitor.hear(device, rssi: -60 + noise, at: .milliseconds(step * 100))
            updates += changes.count { $0.kind == .updated }
        }
        #expect(updates == 0)
    }

    @Test func `A changed strength and an old message are published, not too often`() {
        var monitor = monitor()
        var times: [Int] = []
        for second in 0...700 {
            let rssi: Int = second < 100 ? -60 : -90
            if monitor.hear(device, rssi: rssi, at: .seconds(second)).contains(where: { $0.kind == .updated }) {
                times.append(second)
            }
        }
        #expect(times.filter { $0 < 200 }.allSatisfy { $0 > 100 } && times.count < 10)
        #expect(times.contains { $0 > 300 && $0 < 450 })
    }

    @Test(arguments: [nil, 127])
    func `A strength that is not known is not used`(_ unknown: Int?) {
        var monitor = monitor()
        #expect(monitor.hear(device, rssi: unknown, at: .zero).first?.rssi == nil)
        _ = monitor.hear(device, rssi: -70, at: .seconds(2))
        _ = monitor.hear(device, rssi: unknown, at: .seconds(3))
        #expect(monitor.rssi(of: device) == -70)
    }

    @Test func `The number of devices is bounded; the one not heard for longest is lost`() {
        var monitor = monitor(capacity: 2)
        let addresses = (1...3).map { BluetoothAddress(UInt64($0)) }
        _ = monitor.hear(addresses[0], rssi: -60, at: .seconds(0))
        _ = monitor.hear(addresses[1], rssi: -60, at: .seconds(1))
        _ = monitor.hear(addresses[0], rssi: -60, at: .seconds(2))
        let changes = monitor.hear(addresses[2], rssi: -60, at: .seconds(3))
        #expect(changes.map(\.kind) == [.lost, .found] && changes.first?.address == addresses[1])
        #expect(monitor.evicted == 1 && monitor.count == 2)
        #expect(monitor.expire(at: .seconds(1_000)).map(\.address) == [addresses[0], addresses[2]])
    }
}
