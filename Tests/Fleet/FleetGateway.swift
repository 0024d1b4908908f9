import BluetoothValues
import FoundationEssentials
import Gateway
import RxBluetooth

/// A gateway of the fleet: the real policies, sharing, store and delivery on a simulated broker.
final class FleetGateway {
    let number: Int
    let name: String
    let broker: SimulatedBroker
    private(set) var isRunning = true
    private(set) var linkCount = 0
    private let loop: GatewayLoop
    private let air: FleetAir
    private let topics: GatewayTopics
    private let delivery: MessageDelivery
    private let pipeline: ReadingPipeline
    private let discovery: DiscoveryPublisher?
    private var sharing: DeviceSharing
    /// The devices that this gateway owns, with the time of the next attempt or value and the failures.
    private var owned: [BluetoothAddress: (next: Duration, failures: Int)] = [:]
    /// When a device of ``owned`` is due, at the earliest.
    private var nextRun = Duration.zero

    init(_ number: Int, air: FleetAir, server: SimulatedBrokerServer, loop: GatewayLoop) {
        self.number = number
        self.loop = loop
        self.air = air
        name = "gateway\(number)"
        var configuration = GatewayConfiguration()
        configuration.name = name
        configuration.publishing.changes = ["temperature": 0.2]
        configuration.publishing.rssiChange = 12
        configuration.publishing.maximumInterval = .seconds(900)
        // The devices of the building around the gateway.
        configuration.devices = air.devices.filter { device in
            device.isDescribed && device.strengths.contains { $0.gateway == number }
        }.map { device in
            var settings = DeviceSettings(address: device.address)
            if device.hasJobs { settings.jobs = [GATTJob(.notify, of: "2A37")] }
            return settings
        }
        topics = GatewayTopics(configuration.topics, gateway: name)
        let client = BrokerClient(gateway: name, availability: topics.availability, settings: configuration.broker)
        broker = server.client(client)
        delivery = MessageDelivery(
            broker: broker, client: client, availability: topics.availability,
            store: SimulatedStore(identity: name), seed: UInt64(number), loop: loop)
        pipeline = ReadingPipeline(configuration, keys: KeyStore(), loop: loop)
        discovery = DiscoveryPublisher(configuration, delivery: delivery, loop: loop)
        sharing = DeviceSharing(
            gateway: name, devices: configuration.devices, settings: configuration.sharing,
            availability: configuration.topics.availability, now: loop.monotonicTime)
    }

    func start() {
        pipeline.onReading = { [unowned self] in
            guard isRunning else { return }
            delivery.store($0.publication(topics))
            discovery?.add($0.device, $0.reading)
        }
        pipeline.onPresence = { [unowned self] message, _ in
            if isRunning { delivery.store(message.publication(topics)) }
        }
        delivery.onConnectionChange = { [unowned self] isConnected in
            let now = loop.monotonicTime
            execute(isConnected ? sharing.connected(now: now) : sharing.disconnected(now: now))
            if isConnected { discovery?.connected() }
        }
        delivery.isShared = sharing.isShared
        delivery.onSharedIgnored = { [unowned self] in sharing.ignored(topic: $0, now: loop.monotonicTime) }
        delivery.onReceived = { [unowned self] in execute(sharing.receive($0, now: loop.monotonicTime)) }
        delivery.start()
    }

    /// Switches the computer off, which ends the links. The broker publishes the last will after the keep-alive time.
    func switchOff() {
        isRunning = false
        for address in owned.keys { air.disconnect(address, from: number) }
        owned = [:]
        broker.isolate()
    }

    func receive(_ address: BluetoothAddress, _ rssi: Int, _ sections: [AdvertisedSection]) {
        guard isRunning else { return }
        _ = pipeline.receive(
            sections, from: address, of: address, name: nil, rssi: rssi, time: loop.scheduler.now)
        execute(sharing.heard(address, rssi: rssi, now: loop.monotonicTime))
    }

    /// Does what is due. Called ten times a second.
    func tick() {
        guard isRunning else { return }
        let now = loop.monotonicTime
        if let wake = sharing.wake, wake <= now { execute(sharing.tick(now: now)) }
        guard nextRun <= now else { return }
        for address in owned.keys.sorted() {
            guard let (next, failures) = owned[address], next <= now else { continue }
            run(address, failures, now)
        }
        nextRun = owned.values.map(\.next).min() ?? .seconds(Int64.max / 2)
    }

    /// Makes a link, or publishes a notified value every 30 s.
    private func run(_ address: BluetoothAddress, _ failures: Int, _ now: Duration) {
        if !air.device(address).isLinkable {
            owned[address] = (now + .seconds(3600), 0)
        } else if air.device(address).link == number {
            owned[address] = (now + .seconds(30), 0)
            let payload = Array(#"{"characteristic":"2A37","hex":"0048"}"#.utf8)
            delivery.store(Publication(topic: topics.connection(of: MessageDevice(address: address)), payload: payload))
        } else if air.connect(address, to: number) {
            owned[address] = (now + .seconds(1), 0)
            linkCount += 1
            execute(sharing.link(address, isUp: true, now: now))
        } else {
            owned[address] = (now + .seconds(5), failures + 1)
            if failures >= 2 { execute(sharing.connectFailed(address, now: now)) }
        }
    }

    private func execute(_ actions: [DeviceSharing.Action]) {
        for action in actions {
            switch action {
            case .subscribe(let filters): delivery.resubscribe(to: filters)
            case .publish(let publication): _ = delivery.publish(publication)
            case .setOwned(let address, true):
                owned[address] = (loop.monotonicTime + .milliseconds(500), 0)
                nextRun = .zero
            case .setOwned(let address, false):
                owned[address] = nil
                guard air.device(address).link == number else { continue }
                air.disconnect(address, from: number)
                execute(sharing.link(address, isUp: false, now: loop.monotonicTime))
            case .foundGateway(let name, let address): discovery?.foundGateway(name, hearing: address)
            case .setRoom: break
            }
        }
    }
}
