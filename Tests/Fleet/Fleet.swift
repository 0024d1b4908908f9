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
        /// The roles that a gateway got or lost because its connection was interrupted for a moment.
        var disturbed = 0
        /// The messages of Home Assistant's discovery.
        var discoveries = 0
        /// The devices with jobs and a gateway in range that have no link at the end.
        var unlinked = 0
    }

    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    private let loop: GatewayLoop
    private let server: SimulatedBrokerServer
    private let air: FleetAir
    private let gateways: [FleetGateway]
    /// The holders by the topics of owners and rooms.
    private var holders: [String: String] = [:]
    /// The gateway whose connection was interrupted last, and when.
    private var interrupted: (name: String, time: Duration)?
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
    /// Every five minutes the connection of another one is interrupted for less than a second.
    func run(seconds: Int) {
        for gateway in gateways { gateway.start() }
        let ticks = seconds * 10
        for tick in 0..<ticks {
            scheduler.advanceTo((tick + 1) * 100)
            if tick == ticks / 3 { kill(gateways.count / 2) }
            if tick == ticks / 2 { gateways[gateways.count / 3].broker.isolate() }
            if tick % 3000 == 2999 { interrupt(tick / 3000 * 7 % gateways.count) }
            air.advance(tick) { gateway, address, rssi, sections in
                result.receptions += 1
                gateways[gateway].receive(address, rssi, sections)
            }
            for gateway in gateways { gateway.tick() }
            checkOrphans()
        }
        result.links = gateways.reduce(0) { $0 + $1.linkCount }
        result.abandoned = orphans.count
        result.unlinked = air.devices.count { $0.hasJobs && $0.isLinkable && $0.link == nil && isInRange($0) }
    }

    private func interrupt(_ number: Int) {
        guard gateways[number].isRunning, gateways[number].broker.isConnected else { return }
        interrupted = (gateways[number].name, loop.monotonicTime)
        server.close(gateways[number].broker.client.identifier)
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
        if publication.topic.hasPrefix("homeassistant/") { result.discoveries += 1 }
        let isOwner = publication.topic.hasSuffix("/owner")
        if isOwner || publication.topic.hasSuffix("/room") { record(publication, isOwner: isOwner) }
    }

    private func record(_ publication: Publication, isOwner: Bool) {
        let holder = String(decoding: publication.payload, as: UTF8.self)
        let former = holders.updateValue(holder, forKey: publication.topic)
        guard let former, former != holder else { return }
        if let (name, time) = interrupted, loop.monotonicTime - time < .seconds(10), [former, holder].contains(name) {
            result.disturbed += 1
        }
        let isHandover = gateways.contains { $0.name == former && $0.isRunning && $0.broker.isConnected }
        if isOwner, isHandover { result.handovers[publication.topic, default: 0] += 1 }
    }

    private func add(_ value: UInt64) { result.hash = (result.hash ^ value) &* 0x100_0000_01B3 }
}
