import Gateway
import RxBluetooth

/// Several gateways that share devices over a small broker in virtual time.
///
/// A device accepts one link, and advertises once a second while it has none.
final class GatewayModel {
    struct Place { var x: Double, y: Double }

    final class Member {
        let name: String
        let place: Place
        var sharing: DeviceSharing
        /// The offset of its monotonic clock: the clocks of gateways differ.
        let clock: Duration
        var isRunning = true
        /// Whether messages reach the broker and come from it.
        var isReachable = true
        /// Whether the broker has a session, which ends with the last will.
        var hasSession = false
        var lastContact = Duration.zero
        /// The levels of each filter.
        var filters: [String: [Substring]] = [:]
        var incoming: [(at: Duration, message: ReceivedMessage)] = []
        var owned: Set<BluetoothAddress> = []
        var attempts: [BluetoothAddress: Duration] = [:]
        var failures: [BluetoothAddress: Int] = [:]

        init(_ name: String, _ place: Place, _ sharing: DeviceSharing, clock: Duration) {
            self.name = name
            self.place = place
            self.sharing = sharing
            self.clock = clock
        }
    }

    struct Device {
        var address: BluetoothAddress
        var place: Place
        var link: String?
        var nextPacket: Duration
        var isPresent = true
    }

    /// A change of the topic of an owner or a room.
    struct Change: Equatable { var time: Duration, topic: String, name: String }

    private(set) var now = Duration.zero
    private(set) var members: [Member] = []
    var devices: [BluetoothAddress: Device] = [:]
    private(set) var retained: [String: [UInt8]] = [:]
    private(set) var changes: [Change] = []
    private(set) var messageCount = 0
    /// The links that were made, with their times.
    private(set) var links: [(time: Duration, address: BluetoothAddress, gateway: String)] = []
    /// When the broker published the last will of a gateway.
    private(set) var wills: [String: Duration] = [:]
    var noise = 6.0
    /// The resolution of the virtual time.
    var step = Duration.milliseconds(100)
    var isLinkable = true
    private var random: Seeded
    private let settings: [DeviceSettings]

    init(seed: UInt64, devices places: [Place], hasJobs: Bool = true) {
        random = Seeded(state: seed)
        settings = places.indices.map { index in
            var settings = DeviceSettings(address: BluetoothAddress(0xC0FF_EE00_0000 + UInt64(index)))
            if hasJobs { settings.jobs = [GATTJob(.notify, of: "2A37")] }
            return settings
        }
        for (index, place) in places.enumerated() {
            let first = Duration.milliseconds(Int.random(in: 0..<1000, using: &random))
            let address = settings[index].address
            devices[address] = Device(address: address, place: place, nextPacket: first)
        }
    }

    func add(_ name: String, at place: Place) {
        let clock = Duration.seconds(Int.random(in: 0..<1_000_000, using: &random))
        let sharing = DeviceSharing(gateway: name, devices: settings, now: now + clock)
        members.append(Member(name, place, sharing, clock: clock))
    }

    func member(_ name: String) -> Member? { members.first { $0.name == name } }

    /// Ends a process and the links of its computer.
    func kill(_ name: String) {
        guard let member = member(name) else { return }
        member.isRunning = false
        member.isReachable = false
        for address in devices.keys where devices[address]?.link == name { devices[address]?.link = nil }
    }

    func dropLink(of address: BluetoothAddress) {
        guard let member = devices[address]?.link.flatMap(member) else { return }
        devices[address]?.link = nil
        execute(member.sharing.link(address, isUp: false, now: now + member.clock), member)
    }

    func failToConnect(_ name: String, to address: BluetoothAddress) {
        guard let member = member(name) else { return }
        execute(member.sharing.connectFailed(address, now: now + member.clock), member)
    }

    func run(for duration: Duration) {
        let end = now + duration
        while now < end {
            now += step
            for member in members { maintainSession(member) }
            for address in devices.keys.sorted() { advertise(address) }
            for member in members where member.isRunning { run(member) }
        }
    }

    // MARK: - Broker

    private func maintainSession(_ member: Member) {
        if member.isRunning, member.isReachable {
            member.lastContact = now
            guard !member.hasSession else { return }
            member.hasSession = true
            execute(member.sharing.connected(now: now + member.clock), member)
            publish(availability(member), "online")
        } else if member.hasSession, now - member.lastContact >= .seconds(22) {
            // Keep-alive of 15 s, and half of it as reserve.
            member.hasSession = false
            member.filters = [:]
            member.incoming = []
            wills[member.name] = now
            publish(availability(member), "offline")
            if member.isRunning { execute(member.sharing.disconnected(now: now + member.clock), member) }
        }
    }

    private func availability(_ member: Member) -> String { "home/\(member.name)/LWT" }

    private func publish(_ topic: String, _ text: String) {
        accept(Publication(topic: topic, payload: Array(text.utf8), isRetained: true))
    }

    private func accept(_ publication: Publication) {
        messageCount += 1
        if retained[publication.topic] != publication.payload,
            let role = publication.topic.split(separator: "/").last, role == "owner" || role == "room"
        {
            let name = String(decoding: publication.payload, as: UTF8.self)
            changes.append(Change(time: now, topic: publication.topic, name: name))
        }
        retained[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
        let levels = publication.topic.split(separator: "/")
        for member in members where member.hasSession {
            guard member.filters.values.contains(where: { Self.matches($0, levels) }) else { continue }
            deliver(ReceivedMessage(topic: publication.topic, payload: publication.payload), to: member)
        }
    }

    private func deliver(_ message: ReceivedMessage, to member: Member) {
        let delay = Duration.milliseconds(Int.random(in: 5..<300, using: &random))
        // The messages of one connection arrive in order.
        let time = max(now + delay, member.incoming.last?.at ?? .zero)
        member.incoming.append((time, message))
    }

    private static func matches(_ filter: [Substring], _ levels: [Substring]) -> Bool {
        // The last level differs most often.
        filter.count == levels.count && zip(filter.reversed(), levels.reversed()).allSatisfy { $0 == "+" || $0 == $1 }
    }

    private func execute(_ actions: [DeviceSharing.Action], _ member: Member) {
        for action in actions {
            switch action {
            case .subscribe(let filters): filters.forEach { subscribe(member, to: $0) }
            case .publish(let publication): if member.isReachable { accept(publication) }
            case .setOwned(let address, true): member.owned.insert(address)
            case .setOwned(let address, false):
                member.owned.remove(address)
                member.attempts[address] = nil
                if devices[address]?.link == member.name { dropLink(of: address) }
            case .setRoom, .foundGateway: break
            }
        }
    }

    /// A subscription always delivers the retained messages, also if it exists.
    private func subscribe(_ member: Member, to filter: String) {
        let levels = filter.split(separator: "/")
        member.filters[filter] = levels
        let matching = retained.filter { Self.matches(levels, $0.key.split(separator: "/")) }
        for (topic, payload) in matching.sorted(by: { $0.key < $1.key }) {
            deliver(ReceivedMessage(topic: topic, payload: payload, isRetained: true), to: member)
        }
    }

    // MARK: - Gateways and devices

    private func run(_ member: Member) {
        while let first = member.incoming.first, first.at <= now {
            member.incoming.removeFirst()
            guard member.isReachable else { continue }
            execute(member.sharing.receive(first.message, now: now + member.clock), member)
        }
        if let wake = member.sharing.wake, wake <= now + member.clock {
            execute(member.sharing.tick(now: now + member.clock), member)
        }
        guard isLinkable else { return }
        for address in member.owned.sorted() where devices[address]?.link != member.name { connect(address, member) }
    }

    /// One attempt takes 0.5 s if the device is free, and fails after 3 s otherwise.
    private func connect(_ address: BluetoothAddress, _ member: Member) {
        guard let start = member.attempts[address] else { return member.attempts[address] = now }
        guard let device = devices[address], now - start >= .milliseconds(500) else { return }
        if device.link == nil, device.isPresent, strength(device.place, member.place) > -95 {
            member.attempts[address] = nil
            member.failures[address] = 0
            devices[address]?.link = member.name
            links.append((now, address, member.name))
            execute(member.sharing.link(address, isUp: true, now: now + member.clock), member)
        } else if now - start >= .seconds(3) {
            member.attempts[address] = nil
            member.failures[address, default: 0] += 1
            guard member.failures[address, default: 0] % 3 == 0 else { return }
            failToConnect(member.name, to: address)
        }
    }

    private func advertise(_ address: BluetoothAddress) {
        guard let device = devices[address], device.nextPacket <= now else { return }
        devices[address]?.nextPacket += .milliseconds(1000)
        guard device.link == nil, device.isPresent else { return }
        for member in members where member.isRunning {
            let rssi = strength(device.place, member.place) + noise * normal()
            guard rssi > -95 else { continue }
            execute(member.sharing.heard(address, rssi: Int(rssi), now: now + member.clock), member)
        }
    }

    /// The path loss of a building: 60 dB at 1 m, and 25 dB more for each ten times the distance.
    private func strength(_ one: Place, _ other: Place) -> Double {
        let (x, y) = (one.x - other.x, one.y - other.y)
        var (ratio, decades) = (max(1, (x * x + y * y).squareRoot()), 0.0)
        while ratio > 10 {
            ratio /= 10
            decades += 1
        }
        // A chord of the logarithm is precise enough for a model.
        return -60 - 25 * (decades + (ratio - 1) / 9)
    }

    /// A nearly normally distributed number with variance 1, from four uniform ones.
    private func normal() -> Double {
        (0..<4).reduce(-2.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } * 1.732
    }
}
