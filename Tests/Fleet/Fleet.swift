import Gateway
import Rx
import RxBluetooth
import RxTest

/// Gateways and devices of one building, which run in virtual time.
final class Fleet {
    /// What happened in a run. Equal seeds give equal results.
    struct Result: Equatable {
        /// A hash of all messages of the broker with their times.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var messages = 0
        var bytes = 0
        var receptions = 0
        var links = 0
        /// The changes of owner between two gateways that are online, by device.
        var handovers: [String: Int] = [:]
        /// The longest time from a last will to a link of another gateway, for devices in range of one.
        var takeOver = Duration.zero
        /// The devices of dead gateways that got no other link although a gateway is in range.
        var abandoned = 0
        /// The devices with jobs and a gateway in range that have no link at the end.
        var unlinked = 0
    }

    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    private let loop: GatewayLoop
    private let server: SimulatedBrokerServer
    private let air: FleetAir
    private let gateways: [FleetGateway]
    private var owners: [String: String] = [:]
    /// The devices of the gateway that died, as long as they have no link.
    private var orphans: [BluetoothAddress] = []
    private var dead: FleetGateway?
    /// When the broker published its last will.
    private var will: Duration?
    private(set) var result = Result()

    init(gateways count: Int, devices: Int, seed: UInt64) {
        let scheduler = scheduler
        let loop = GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
        let server = SimulatedBrokerServer(loop: loop)
        let air = FleetAir(gateways: count, devices: devices, seed: seed)
        self.loop = loop
        self.server = server
        self.air = air
        gateways = (0..<count).map { FleetGateway($0, air: air, server: server, loop: loop) }
        server.onMessage = { [unowned self] in record($0) }
    }

    /// Runs for some seconds. At a third of the time one gateway dies, and at half another one loses the broker.
    func run(seconds: Int) {
        for gateway in gateways { gateway.start() }
        let ticks = seconds * 10
        for tick in 0..<ticks {
            scheduler.advanceTo((tick + 1) * 100)
            if tick == ticks / 3 { kill(gateways.count / 2) }
            if tick == ticks / 2 { gateways[gateways.count / 3].broker.isolate() }
            air.advance(tick) { gateway, address, rssi, sections in
                result.receptions += 1
                gateways[gateway].receive(address, rssi, sections)
            }
            for gateway in gateways { gateway.tick() }
            checkOrphans()
        }
        result.links = gateways.reduce(0) { $0 + $1.linkCount }
        result.abandoned = orphans.count
        result.unlinked = air.devices.count { $0.hasJobs && $0.link == nil && isInRange($0) }
    }

    private func isInRange(_ device: FleetAir.Device) -> Bool {
        // At the edge, most packets are lost.
        device.strengths.contains { gateways[$0.gateway].isRunning && $0.rssi > -86 }
    }

    private func kill(_ number: Int) {
        let linked = air.devices.filter { $0.link == number }
        gateways[number].switchOff()
        orphans = linked.filter(isInRange).map(\.address)
        dead = gateways[number]
    }

    private func checkOrphans() {
        guard let will else { return }
        orphans.removeAll { address in
            guard air.device(address).link != nil else { return false }
            result.takeOver = max(result.takeOver, loop.monotonicTime - will)
            return true
        }
    }

    private func record(_ publication: Publication) {
        result.messages += 1
        result.bytes += publication.payload.count
        add(UInt64(bitPattern: loop.monotonicTime.components.attoseconds))
        publication.topic.utf8.forEach { add(UInt64($0)) }
        publication.payload.forEach { add(UInt64($0)) }
        if let dead, will == nil, publication.topic == "home/\(dead.name)/LWT" {
            will = loop.monotonicTime
            let broker = loop.bound(dead.broker)
            loop.perform { broker.value.crash() }
        }
        guard publication.topic.hasSuffix("/owner") else { return }
        let owner = String(decoding: publication.payload, as: UTF8.self)
        let isHandover = gateways.contains {
            $0.name == owners[publication.topic] && $0.isRunning && $0.broker.isConnected
        }
        if let former = owners[publication.topic], former != owner, isHandover {
            result.handovers[publication.topic, default: 0] += 1
        }
        owners[publication.topic] = owner
    }

    private func add(_ value: UInt64) { result.hash = (result.hash ^ value) &* 0x100_0000_01B3 }
}
