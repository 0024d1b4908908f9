public import RxBluetooth

/// Divides devices among several gateways on one broker: which gateway connects, and which one is nearest.
///
/// A state machine without timers and broker: the caller passes events, and executes the returned actions. All
/// gateways decide by the same retained messages, so they need no connection to each other, and their clocks may
/// differ. The flow of messages is described in `docs/gateway-sharing.md`.
public struct DeviceSharing: Sendable {
    /// What the caller does.
    public enum Action: Hashable, Sendable {
        /// Subscribes to filters, with quality of service 1. Their retained messages must arrive again if the
        /// subscription exists: `MessageDelivery.resubscribe(to:)`.
        case subscribe([String])
        case publish(Publication)
        /// Starts or stops the GATT jobs of a device.
        case setOwned(BluetoothAddress, Bool)
        /// Another gateway exists, or reports a device. Repeated after each connection.
        case foundGateway(String, hearing: BluetoothAddress?)
        /// The nearest gateway has changed; nil if no gateway hears the device.
        case setRoom(BluetoothAddress, String?)
    }

    /// The content of the topic of the room if no gateway hears the device. Home Assistant knows this word.
    public static let notHome = "not_home"

    let gateway: String
    let hysteresis: Double
    let topics: SharingTopics
    var devices: [BluetoothAddress: SharedDevice] = [:]
    /// The devices of the configuration, and whether they have jobs.
    var jobs: [BluetoothAddress: Bool]
    /// The devices of an earlier configuration, as far as they were noticed.
    var removed: Set<BluetoothAddress> = []
    /// The gateways that are online.
    var online: Set<String> = []
    /// The clients that have announced themselves as gateways.
    private var announced: Set<String> = []
    /// When the connection to the broker was made; nil while there is none.
    var session: Duration?
    /// When the retained messages of all gateways have arrived.
    var settlesAt: Duration = .zero
    private var repair = SharingRepair()
    private var hasConnected = false
    /// Since when there is no connection.
    var partedSince: Duration
    /// When devices must be looked at again.
    private var due: [BluetoothAddress: Duration] = [:]
    /// The entries of `due`, and earlier ones that a call of ``tick(now:)`` has not removed yet.
    private var deadlines = DeadlineHeap<BluetoothAddress>()

    /// When ``tick(now:)`` must be called, at the latest; nil if never.
    public var wake: Duration? {
        guard let repair = repair.due else { return deadlines.first?.deadline }
        return min(repair, deadlines.first?.deadline ?? repair)
    }

    /// The time for retained messages to arrive after the connection to the broker.
    static let settling = Duration.seconds(2)
    /// The time between the claims of candidates for a free role, the best one first.
    static let rankDelay = Duration.milliseconds(1500)
    /// How long a holder may be offline before another gateway takes over. A lost connection is tried again every 0.5
    /// to 1 s at first, so an interruption of up to 2 s changes no role.
    static let offlineHolder = Duration.milliseconds(3500)
    /// The time for the reports of other gateways to arrive.
    static let election = Duration.seconds(1)
    /// The time between a report and a claim, in which all gateways get the reports of one advertisement.
    static let agreement = Duration.milliseconds(500)
    /// A device that was not heard for this time is out of range.
    static let heardTimeout = Duration.seconds(60)
    /// Without the broker for this time, a gateway connects to devices without asking.
    static let aloneAfter = Duration.seconds(60)
    /// How long a gateway that could not connect lets others try.
    static let failingTime = Duration.seconds(300)
    private static let maximumGateways = 1024
    /// The most reports of other gateways about all devices together. A client of the broker may invent gateways.
    var maximumReports = 200_000
    /// The number of reports of other gateways that are remembered.
    private(set) var reportCount = 0
    /// The reports and announcements of other gateways that exceeded a limit.
    private(set) var ignoredCount = 0

    /// Creates the sharing of a gateway that has no connection to the broker yet.
    ///
    /// - Parameters:
    ///   - gateway: The name of the gateway, which is different for each.
    ///   - devices: The devices of the configuration.
    ///   - settings: The settings of the sharing.
    ///   - availability: The template of the topic of the last will, with `{gateway}`.
    ///   - now: The monotonic time.
    public init(
        gateway: String, devices: [DeviceSettings], settings: SharingSettings = SharingSettings(),
        availability: String = TopicSettings().availability, now: Duration
    ) {
        self.gateway = gateway
        hysteresis = max(1, settings.hysteresis)
        topics = SharingTopics(base: settings.base, availability: availability)
        jobs = Dictionary(devices.map { ($0.address, !$0.jobs.isEmpty) }) { $0 || $1 }
        partedSince = now
    }

    /// The nearest gateway; nil if it is not known, or if no gateway hears the device.
    public func room(of address: BluetoothAddress) -> String? {
        devices[address]?.room.holder.flatMap { $0 == Self.notHome ? nil : $0 }
    }

    /// Whether this gateway runs the GATT jobs of a device.
    public func isOwned(_ address: BluetoothAddress) -> Bool { devices[address]?.isOwned ?? false }

    /// The devices of the configuration.
    var configured: [BluetoothAddress] { jobs.keys.sorted() }

    /// A function that returns whether a topic belongs to the sharing, for the limits of what is received.
    public var isShared: @Sendable (_ topic: String) -> Bool {
        let topics = topics
        return { topics.contain($0) }
    }

    /// Forgets a device with the reports of other gateways.
    mutating func forget(_ address: BluetoothAddress) -> SharedDevice? {
        let device = devices.removeValue(forKey: address)
        reportCount -= device?.peers.count ?? 0
        return device
    }

    // MARK: - Events

    /// The connection to the broker was made. Publish the availability `online` after the actions.
    public mutating func connected(now: Duration) -> [Action] {
        session = now
        settlesAt = now + Self.settling
        online = []
        repair.reset()
        var actions: [Action] = [
            .subscribe([topics.availabilityFilter, topics.presenceFilter, topics.reports(of: gateway)]),
            .publish(Publication(topic: topics.presence(gateway), payload: Array("1".utf8), isRetained: true)),
        ]
        // Reports of an earlier process of this gateway are replaced or removed.
        let addresses = hasConnected ? Array(devices.keys) : Array(jobs.keys)
        hasConnected = true
        for address in addresses.sorted() {
            if var device = devices[address] {
                device.published = nil
                reportCount -= device.peers.count
                device.peers = [:]
                device.owner.claimed = nil
                device.owner.isConfirmed = false
                device.room.claimed = nil
                device.room.isConfirmed = false
                devices[address] = device
                actions.append(.subscribe(topics.filters(address)))
            }
            if devices[address].flatMap({ report($0, now) }) == nil {
                actions.append(
                    .publish(Publication(topic: topics.heard(address, gateway), payload: [], isRetained: true)))
            }
            actions += look(address, now)
            plan(address, at: now + Self.settling)
        }
        return actions
    }

    /// The connection to the broker has ended. Links stay, because the peripheral accepts only one.
    public mutating func disconnected(now: Duration) -> [Action] {
        guard session != nil else { return [] }
        session = nil
        repair.reset()
        partedSince = now
        for address in devices.keys { plan(address, at: now + Self.aloneAfter) }
        return []
    }

    /// A device was heard.
    public mutating func heard(_ address: BluetoothAddress, rssi: Int, now: Duration) -> [Action] {
        guard let hasJobs = jobs[address] else { return [] }
        var actions: [Action] = []
        if devices[address] == nil {
            devices[address] = SharedDevice(hasJobs: hasJobs)
            if session != nil { actions.append(.subscribe(topics.filters(address))) }
        }
        if devices[address]?.signal == nil {
            devices[address]?.signal = SignalAverage(Double(rssi), now: now)
            devices[address]?.candidateSince = now
        } else {
            devices[address]?.signal?.add(Double(rssi), now: now)
        }
        guard let device = devices[address], mustReport(device, now) || mayConnectAlone(device, now) else {
            return actions
        }
        return actions + look(address, now)
    }

    /// Whether this gateway connects without the broker, although it did not yet.
    private func mayConnectAlone(_ device: SharedDevice, _ now: Duration) -> Bool {
        session == nil && device.hasJobs && !device.isOwned && now - partedSince >= Self.aloneAfter
    }

    /// The link of this gateway to a device came up or ended.
    public mutating func link(_ address: BluetoothAddress, isUp: Bool, now: Duration) -> [Action] {
        guard var device = devices[address] else { return [] }
        device.isLinked = isUp
        if isUp { device.failingUntil = nil }
        device.signal?.touch(now: now)
        devices[address] = device
        return look(address, now)
    }

    /// This gateway could not connect to a device several times. Another gateway may have the link.
    public mutating func connectFailed(_ address: BluetoothAddress, now: Duration) -> [Action] {
        guard devices[address] != nil else { return [] }
        devices[address]?.failingUntil = now + Self.failingTime
        return look(address, now)
    }

    /// A message arrived from the broker. Messages of other topics are ignored.
    public mutating func receive(_ message: ReceivedMessage, now: Duration) -> [Action] {
        switch topics.subject(of: message.topic) {
        case nil: return []
        case .availability(let name): return setOnline(message.payload == Array("online".utf8), name, now)
        case .heard(let address, let name):
            if name == gateway { return removeReport(address, message.payload) }
            // Without a copy of the device, because a change of its reports would copy them all.
            guard let gatewayCount = devices[address]?.peers.count else { return [] }
            let (old, report) = (devices[address]?.peers[name], HeardReport(message.payload))
            guard old != report else { return [] }
            let isNew = old == nil
            guard !isNew || gatewayCount < Self.maximumGateways && reportCount < maximumReports else {
                ignoredCount += 1
                return []
            }
            devices[address]?.peers[name] = report
            reportCount += (report == nil ? 0 : 1) - (isNew ? 0 : 1)
            let found: [Action] = isNew ? [.foundGateway(name, hearing: address)] : []
            return found + look(address, now)
        case .presence(let name):
            guard name != gateway else { return [] }
            guard !message.payload.isEmpty else {
                announced.remove(name)
                return []
            }
            guard announced.contains(name) || announced.count < Self.maximumGateways else {
                ignoredCount += 1
                return []
            }
            announced.insert(name)
            return foundGateway(name)
        case .owner(let address):
            let name = holder(message.payload)
            guard let device = devices[address] else { return removeRole(message.topic, name, address) }
            guard device.hasJobs else { return removeOwnership(name, address) }
            return setOwner(name, address, now) + look(address, now)
        case .room(let address):
            let name = holder(message.payload)
            guard let device = devices[address] else { return removeRole(message.topic, name, address) }
            devices[address]?.room.claimed = nil
            devices[address]?.room.isConfirmed = true
            guard device.room.holder != name else { return look(address, now) }
            devices[address]?.room = SharedRole(holder: name, changed: now, isConfirmed: true)
            return [.setRoom(address, room(of: address))] + look(address, now)
        }
    }

    /// A message was ignored because there were too many. It is received again later if it may be important.
    public mutating func ignored(topic: String, now: Duration) {
        switch topics.subject(of: topic) {
        case nil: break
        case .availability, .presence: repair.miss(nil, now: now)
        case .heard(let address, _), .owner(let address), .room(let address):
            if devices[address] != nil { repair.miss(address, now: now) }
        }
    }

    /// Receives the retained messages again that were ignored.
    private mutating func repairMissed(_ now: Duration) -> [Action] {
        guard session != nil, let step = repair.take(now: now) else { return [] }
        var actions: [Action] = []
        var settling = step.devices
        if step.isAvailabilityMissing {
            online = []
            settlesAt = now + Self.settling
            settling = Array(devices.keys)
            actions.append(.subscribe([topics.availabilityFilter, topics.presenceFilter]))
        }
        for address in step.devices {
            reportCount -= devices[address]?.peers.count ?? 0
            devices[address]?.peers = [:]
            devices[address]?.settlesAt = now + Self.settling
            actions.append(.subscribe(topics.filters(address)))
        }
        for address in settling { plan(address, at: now + Self.settling) }
        return actions
    }

    /// Time has passed. Call it at ``wake``.
    public mutating func tick(now: Duration) -> [Action] {
        var addresses: [BluetoothAddress] = []
        while let first = deadlines.first, first.deadline <= now {
            deadlines.removeFirst()
            // A later entry of the same device is outdated.
            guard due[first.key] == first.deadline else { continue }
            due[first.key] = nil
            addresses.append(first.key)
        }
        var actions = repairMissed(now)
        for address in addresses.sorted() { actions += look(address, now) }
        return actions
    }

    private func holder(_ payload: [UInt8]) -> String? {
        guard let text = String(validating: payload.prefix(65), as: UTF8.self), SharingTopics.isName(text) else {
            return nil
        }
        return text
    }

    private mutating func setOnline(_ isOnline: Bool, _ name: String, _ now: Duration) -> [Action] {
        guard name != gateway, online.contains(name) != isOnline else { return [] }
        if isOnline {
            guard online.count < Self.maximumGateways else {
                ignoredCount += 1
                return []
            }
            online.insert(name)
        } else {
            online.remove(name)
        }
        return foundGateway(name)
            + devices.keys.sorted().flatMap { address -> [Action] in
                guard let device = devices[address] else { return [] }
                let concerns = device.owner.holder == name || device.room.holder == name || device.peers[name] != nil
                return concerns ? look(address, now) : []
            }
    }

    /// Other clients than gateways also publish an availability, so a gateway announces itself too.
    private func foundGateway(_ name: String) -> [Action] {
        announced.contains(name) && online.contains(name) ? [.foundGateway(name, hearing: nil)] : []
    }

    private mutating func setOwner(_ name: String?, _ address: BluetoothAddress, _ now: Duration) -> [Action] {
        guard let device = devices[address] else { return [] }
        devices[address]?.owner.claimed = nil
        devices[address]?.owner.isConfirmed = true
        guard device.owner.holder != name else { return [] }
        // While this gateway was not connected, another one claimed a device that is still linked here.
        let isSettling = session.map { now - $0 < Self.settling } ?? false
        if isSettling, device.isLinked, device.isOwned, name != gateway {
            devices[address]?.owner.claimed = now
            devices[address]?.owner.isConfirmed = true
            return claimOwner(address)
        }
        devices[address]?.owner = SharedRole(holder: name, changed: now, isConfirmed: true)
        return []
    }

    /// Looks at a device again at a time, if nothing happens before.
    mutating func plan(_ address: BluetoothAddress, at time: Duration) {
        guard due[address].map({ time < $0 }) ?? true else { return }
        due[address] = time
        deadlines.insert(address, at: time)
    }
}
