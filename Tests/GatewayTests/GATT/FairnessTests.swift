import RxBluetooth
import Testing

@testable import Gateway

/// Runs the scheduler against an adapter that behaves at random, and measures how long devices wait.
@Suite struct FairnessTests {
    struct Load: Sendable, CustomStringConvertible {
        var devices: Int
        /// The links that the adapter really has.
        var slots: Int
        /// Which percentage of the attempts fails.
        var failures: Int
        /// Whether all devices but the first have commands at all times.
        var hasFlood = false

        var description: String { "\(devices) devices, \(slots) links, \(failures) % failures, flood: \(hasFlood)" }
    }

    private enum Happening: Hashable { case connected, refused, failed, closed, lost }

    @Test(arguments: [
        Load(devices: 20, slots: 5, failures: 0), Load(devices: 20, slots: 1, failures: 0),
        Load(devices: 20, slots: 7, failures: 20), Load(devices: 50, slots: 10, failures: 10),
        Load(devices: 20, slots: 5, failures: 0, hasFlood: true),
        Load(devices: 20, slots: 1, failures: 0, hasFlood: true),
    ])
    func `No device waits longer than the bound`(load: Load) {
        var random = Seeded(state: 17)
        let addresses = (1...load.devices).map { BluetoothAddress(0xC0FF_EE00_0000 + UInt64($0)) }
        var scheduler = ConnectionScheduler()
        for address in addresses {
            scheduler.setJobs(true, of: address, now: .zero)
            scheduler.setHeard(true, address, now: .zero)
            if load.hasFlood, address != addresses[0] { scheduler.setCommands(1, of: address, now: .zero) }
        }
        var now = Duration.zero
        var linked: Set<BluetoothAddress> = []
        var last: [BluetoothAddress: Duration] = [:]
        var longest: [BluetoothAddress: Duration] = [:]
        var connections: [BluetoothAddress: Int] = [:]
        var pending: [(at: Duration, address: BluetoothAddress, what: Happening)] = []
        let end = Duration.seconds(3600)
        while now < end {
            let (actions, wake) = scheduler.decide(now: now)
            for action in actions {
                let delay = Duration.milliseconds(Int.random(in: 200...2000, using: &random))
                switch action {
                case .connect(let address):
                    let fails = Int.random(in: 0..<100, using: &random) < load.failures
                    let what: Happening = linked.count >= load.slots ? .refused : fails ? .failed : .connected
                    pending.append((now + delay, address, what))
                case .disconnect(let address), .cancel(let address): pending.append((now + delay, address, .closed))
                }
            }
            pending.sort { $0.at < $1.at }
            guard let next = pending.first, next.at <= (wake ?? end) else {
                // Several actions may follow at one time, but never endlessly.
                now = actions.isEmpty ? wake ?? end : now
                continue
            }
            pending.removeFirst()
            now = next.at
            switch next.what {
            case .connected:
                linked.insert(next.address)
                scheduler.connected(next.address, now: now)
                connections[next.address, default: 0] += 1
                let wait = now - (last[next.address] ?? .zero)
                longest[next.address] = max(longest[next.address] ?? .zero, wait)
                if Int.random(in: 0..<100, using: &random) < load.failures {
                    pending.append((now + .seconds(15), next.address, .lost))
                }
            case .refused: scheduler.ended(next.address, .noFreeSlot, now: now)
            case .failed: scheduler.ended(next.address, .failed, now: now)
            case .closed, .lost:
                guard linked.remove(next.address) != nil else { continue }
                last[next.address] = now
                scheduler.ended(next.address, next.what == .lost ? .failed : .closed, now: now)
            }
            #expect(linked.count <= load.slots)
        }
        // A change takes at most 4 s. One turn takes the stay and a change; with commands, the stay is twice as long.
        let turn = Duration.seconds(load.hasFlood ? 64 : 34)
        let turns = (load.devices + load.slots - 1) / load.slots + 1
        let cycle = max(turn * turns, .seconds(4) * load.devices)
        // A device that fails three times waits for another cycle.
        let bound = cycle * (load.failures > 0 ? 3 : load.hasFlood ? 2 : 1)
        let worst = longest.values.max() ?? .zero
        #expect(worst <= bound, "\(worst) of \(bound)")
        #expect(Set(connections.keys) == Set(addresses))
        let counts = addresses.map { connections[$0, default: 0] }
        if load.failures == 0, !load.hasFlood { #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 3, "\(counts)") }
        #expect(scheduler.limit <= load.slots + 1)
    }
}

/// Random numbers that a seed determines.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
