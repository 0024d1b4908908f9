import RxBluetooth

@testable import Gateway

/// Gateways that share devices over a simulated broker, with real deliveries, and without Bluetooth and links.
final class SharingStage {
    final class Member {
        let name: String
        let broker: SimulatedBroker
        let delivery: MessageDelivery
        var sharing: DeviceSharing
        let loop: GatewayLoop
        var owned: Set<BluetoothAddress> = []
        var isHearing = true

        init(_ name: String, _ devices: [DeviceSettings], server: SimulatedBrokerServer, loop: GatewayLoop) {
            self.name = name
            self.loop = loop
            let client = BrokerClient(gateway: name, availability: "home/\(name)/LWT", settings: BrokerSettings())
            broker = server.client(client)
            delivery = MessageDelivery(
                broker: broker, client: client, availability: "home/\(name)/LWT",
                store: SimulatedStore(identity: name), seed: UInt64(name.utf8.count), loop: loop)
            sharing = DeviceSharing(gateway: name, devices: devices, now: loop.monotonicTime)
            delivery.isShared = sharing.isShared
            delivery.onConnectionChange = { [unowned self] isConnected in
                let now = loop.monotonicTime
                execute(isConnected ? sharing.connected(now: now) : sharing.disconnected(now: now))
            }
            delivery.onSharedIgnored = { [unowned self] in sharing.ignored(topic: $0, now: loop.monotonicTime) }
            delivery.onReceived = { [unowned self] in execute(sharing.receive($0, now: loop.monotonicTime)) }
        }

        func execute(_ actions: [DeviceSharing.Action]) {
            for action in actions {
                switch action {
                case .subscribe(let filters): delivery.resubscribe(to: filters)
                case .publish(let publication): delivery.publish(publication)
                case .setOwned(let address, true): owned.insert(address)
                case .setOwned(let address, false): owned.remove(address)
                case .setRoom, .foundGateway: break
                }
            }
        }
    }

    let time = VirtualLoop()
    let server: SimulatedBrokerServer
    let roles: SimulatedSubscriber
    private(set) var members: [Member] = []
    private var rssi: [String: Int] = [:]

    init() {
        server = SimulatedBrokerServer(loop: time.loop)
        roles = server.subscribe(to: "home/ble-gateways/devices/+/+")
    }

    /// Starts a gateway that hears its devices with a strength once a second.
    @discardableResult
    func start(_ name: String, _ devices: [DeviceSettings], rssi: Int) -> Member {
        let member = Member(name, devices, server: server, loop: time.loop)
        members.removeAll { $0.name == name }
        members.append(member)
        self.rssi[name] = rssi
        member.delivery.start()
        return member
    }

    func member(_ name: String) -> Member? { members.first { $0.name == name } }

    /// Runs for a number of tenths of a second.
    func run(tenths: Int) {
        for tenth in 0..<tenths {
            time.advance(by: .milliseconds(100))
            let now = time.loop.monotonicTime
            for member in members {
                if tenth % 10 == 0, member.isHearing {
                    for address in member.sharing.configured {
                        member.execute(member.sharing.heard(address, rssi: rssi[member.name] ?? -90, now: now))
                    }
                }
                if let wake = member.sharing.wake, wake <= now { member.execute(member.sharing.tick(now: now)) }
            }
        }
    }

    func run(seconds: Int) { run(tenths: seconds * 10) }

    /// Closes the connection of a gateway, and refuses others for a time.
    func interrupt(_ name: String, for outage: Duration = .zero) {
        let client = "ble-gateway-\(name)"
        server.close(client)
        guard outage > .zero else { return }
        server.unreachableClients.insert(client)
        let server = time.loop.bound(server)
        _ = time.loop.schedule(after: outage) { server.value.unreachableClients.remove(client) }
    }

    /// The retained texts of the owners or rooms by the last 12 characters of the device.
    func holders(_ role: String) -> [String: String] {
        var holders: [String: String] = [:]
        for (topic, publication) in server.retained where topic.hasSuffix("/\(role)") {
            holders[String(topic.split(separator: "/")[3])] = publication.text
        }
        return holders
    }

    /// The devices `C0FFEE000000` and the following ones. Each second one has jobs.
    static func devices(_ count: Int) -> [DeviceSettings] {
        (0..<count).map { index in
            var settings = DeviceSettings(address: BluetoothAddress(0xC0FF_EE00_0000 + UInt64(index)))
            if index % 2 == 0 { settings.jobs = [GATTJob(.notify, of: "2A37")] }
            return settings
        }
    }
}
