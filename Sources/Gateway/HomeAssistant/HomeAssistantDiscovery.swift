public import BluetoothValues
public import RxBluetooth
import RxBluetoothSupport

/// Makes the retained messages by which Home Assistant discovers devices and their entities. A pure value.
///
/// Each device has one message, at `homeassistant/device/ble-a4c138000001/config`. A message is made when a device
/// sends a quantity, a state or an event for the first time, and when its name or model changes. It has the numbers of
/// the configured jobs from the beginning. All gateways make the same identifiers, so Home Assistant sees one device
/// that several gateways hear. Publish ``all`` after each connection to the broker, and when ``isStart(_:)`` is true.
/// Source: Home Assistant, MQTT, device discovery.
public struct HomeAssistantDiscovery: Sendable {
    /// What was learned about a device.
    private struct Device: Sendable {
        var name: String?
        var model: String?
        var format: SensorFormat?
        var components: [String: HomeAssistantComponent] = [:]
        /// The kinds of readings with entities among the components; the most recent last.
        var shapes: [Shape] = []
        /// The kinds of values of jobs with entities among the components.
        var values: Set<HomeAssistantValueShape> = []
        /// How often the message was made because of a change.
        var revision = 0
    }

    /// The kinds of values in a reading. Readings of the same shape have the same entities.
    private struct Shape: Sendable {
        private let format: SensorFormat
        private let model: String?
        private let measurements: [SensorMeasurement]
        private let states: [SensorState]

        init(_ reading: SensorReading) {
            format = reading.format
            model = reading.model
            measurements = reading.measurements
            states = reading.states
        }

        /// Values that are not finite have no entity, so readings with them match no shape.
        func matches(_ reading: SensorReading) -> Bool {
            guard format == reading.format, model == reading.model, measurements.count == reading.measurements.count,
                states.count == reading.states.count
            else { return false }
            for (one, other) in zip(measurements, reading.measurements)
            where one.quantity != other.quantity || one.unit != other.unit || one.index != other.index
                || !one.value.isFinite || !other.value.isFinite
            {
                return false
            }
            for (one, other) in zip(states, reading.states) where one.kind != other.kind { return false }
            return true
        }
    }

    private static let maximumShapes = 8
    private static let maximumValues = 64
    private static let maximumComponents = 64
    private static let maximumGateways = 100
    // A device that changes its name with each packet must not flood the broker.
    private static let maximumRevisions = 200

    private var settings: HomeAssistantSettings
    private var topics: GatewayTopics
    private var publishing: PublishingSettings
    private let gateway: String
    /// The other gateways, of which each may hear a device that no configuration describes.
    private var gateways: Set<String> = []
    /// The other gateways that hear a described device. Gateways that are offline remain, which changes nothing.
    private var hearers: [BluetoothAddress: Set<String>] = [:]
    /// The topics of the nearest gateways; nil if gateways do not share devices.
    private let sharing: SharingTopics?
    private var devices: RecencyTable<BluetoothAddress, Device>
    /// The most bytes of a message with its topic; nil if the broker has refused none. Longer messages omit entities.
    var maximumSize: Int?
    /// The jobs of the configuration. Their entities do not wait for values.
    private var jobs: [BluetoothAddress: [GATTJob]]

    /// Creates a discovery without devices; nil if the configuration switches it off.
    ///
    /// - Parameter capacity: The largest number of devices. When it is reached, the one without changes for longest is
    ///   forgotten; its message stays at the broker.
    public init?(_ configuration: GatewayConfiguration, capacity: Int = 5_000) {
        guard let settings = configuration.homeAssistant else { return nil }
        self.settings = settings
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        publishing = configuration.publishing
        gateway = configuration.name
        if configuration.sharing.isEnabled {
            sharing = SharingTopics(
                base: configuration.sharing.base, availability: configuration.topics.availability)
            hearers = Dictionary(configuration.devices.map { ($0.address, []) }) { first, _ in first }
        } else {
            sharing = nil
        }
        jobs = Dictionary(configuration.devices.map { ($0.address, $0.jobs) }) { first, _ in first }
        devices = RecencyTable(capacity: capacity)
    }

    /// Uses the devices, names, topics and intervals of another configuration. Publish all messages after it.
    mutating func reload(_ configuration: GatewayConfiguration, _ settings: HomeAssistantSettings, capacity: Int) {
        self.settings = settings
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        publishing = configuration.publishing
        devices.setCapacity(capacity)
        let old = jobs
        jobs = Dictionary(configuration.devices.map { ($0.address, $0.jobs) }) { first, _ in first }
        if sharing != nil {
            let known = hearers
            hearers = jobs.keys.reduce(into: [:]) { $0[$1] = known[$1] ?? [] }
        }
        let names = Dictionary(configuration.devices.map { ($0.address, $0.name) }) { first, _ in first }
        for address in devices.keys {
            let jobs = jobs[address] ?? []
            let hasChanged = old[address, default: []] != jobs
            _ = devices.update(address) { device in
                if let name = names[address] ?? nil { device.name = name }
                device.revision = 0
                guard hasChanged else { return }
                device.values = []
                device.components = device.components.filter { $0.value.source != .connection }
                for component in jobs.flatMap({ HomeAssistantComponent.all($0) }) {
                    device.components[component.key] = component
                }
            }
        }
    }

    /// The topic on which Home Assistant publishes its start, to subscribe to.
    public var statusTopic: String { settings.statusTopic }

    /// Whether a message says that Home Assistant has started, so that it needs all messages again.
    public func isStart(_ message: ReceivedMessage) -> Bool {
        message.topic == settings.statusTopic && message.payload == Array("online".utf8)
    }

    /// Learns from a reading. Returns the message if the device is new or has changed.
    public mutating func add(_ device: MessageDevice, _ reading: SensorReading) -> Publication? {
        guard !reading.format.isRecognisedOnly, !isKnown(device, reading) else { return nil }
        var components = reading.measurements.compactMap { MeasuredProperty($0) }.map { HomeAssistantComponent($0) }
        components += StateProperty.all(reading.states).map { HomeAssistantComponent($0) }
        components += reading.events.map { HomeAssistantComponent(EventProperty($0)) }
        guard !components.isEmpty else { return nil }
        let message = learn(device, components, reading)
        if reading.events.isEmpty {
            _ = devices.update(device.address) { known in
                if known.shapes.count >= Self.maximumShapes { known.shapes.removeFirst() }
                known.shapes.append(Shape(reading))
            }
        }
        return message
    }

    /// Whether nothing can be learned from a reading. This is the usual case, so it must cost little.
    private mutating func isKnown(_ device: MessageDevice, _ reading: SensorReading) -> Bool {
        guard reading.events.isEmpty, let known = devices.peek(device.address),
            device.name == nil || device.name == known.name, known.shapes.contains(where: { $0.matches(reading) })
        else { return false }
        devices.use(device.address, default: known)
        return true
    }

    /// Learns a device without readings, for its presence. Returns the message if the device is new or has changed.
    public mutating func add(_ device: MessageDevice) -> Publication? { learn(device, [], nil) }

    /// Learns from a value of a job. Returns the message if the value has new entities.
    public mutating func add(_ device: MessageDevice, _ value: GATTValue) -> Publication? {
        let shape = HomeAssistantValueShape(value)
        if devices.peek(device.address)?.values.contains(shape) == true { return nil }
        let components = HomeAssistantComponent.all(value)
        guard !components.isEmpty else { return nil }
        let message = learn(device, components, nil)
        _ = devices.update(device.address) { known in
            if known.values.count < Self.maximumValues { known.values.insert(shape) }
        }
        return message
    }

    /// Adds a gateway that shares devices. Returns the devices with changed messages.
    ///
    /// A device is available as long as one of its gateways is online. A device of the configuration has the gateways
    /// that report it, another one has all of them.
    ///
    /// - Parameter address: The device that the gateway reports; nil if it only exists.
    mutating func addGateway(_ name: String, hearing address: BluetoothAddress?) -> [BluetoothAddress] {
        guard name != gateway else { return [] }
        guard let address else {
            guard gateways.count < Self.maximumGateways - 1, gateways.insert(name).inserted else { return [] }
            return devices.keys.filter { hearers[$0] == nil }
        }
        guard let known = hearers[address], known.count < Self.maximumGateways - 1, !known.contains(name) else {
            return []
        }
        hearers[address]?.insert(name)
        return devices.peek(address) == nil ? [] : [address]
    }

    private func gateways(of address: BluetoothAddress) -> [String] {
        (hearers[address] ?? gateways).union([gateway]).sorted()
    }

    /// The message of a device; nil if it is not known.
    func message(of address: BluetoothAddress) -> Publication? {
        devices.peek(address).map { publication(address, $0) }
    }

    /// The devices that have a message.
    var addresses: some Sequence<BluetoothAddress> { devices.keys }

    /// All messages, for a new connection to the broker, and for a start of Home Assistant.
    public var all: [Publication] {
        devices.keys.compactMap { address in devices.peek(address).map { publication(address, $0) } }
    }

    /// Forgets a device. Returns the empty message that removes it from Home Assistant; nil if the device is not known.
    public mutating func remove(_ address: BluetoothAddress) -> Publication? {
        devices.remove(address) == nil ? nil : removal(of: address)
    }

    /// Returns the empty message that removes a device from Home Assistant.
    func removal(of address: BluetoothAddress) -> Publication {
        Publication(topic: topic(address), payload: [], isRetained: true)
    }

    /// Whether a device has a message.
    func contains(_ address: BluetoothAddress) -> Bool { devices.contains(address) }

    private mutating func learn(
        _ device: MessageDevice, _ components: [HomeAssistantComponent], _ reading: SensorReading?
    ) -> Publication? {
        let old = devices.peek(device.address)
        var known = old ?? Device()
        if let name = device.name { known.name = name }
        if let model = reading?.model { known.model = model }
        if let format = reading?.format { known.format = format }
        let described = old == nil ? (jobs[device.address] ?? []).flatMap { HomeAssistantComponent.all($0) } : []
        for var component in described + components {
            if let earlier = known.components[component.key] {
                component.eventTypes = Array(Set(component.eventTypes + earlier.eventTypes).sorted().prefix(32))
            } else if known.components.count >= Self.maximumComponents {
                continue
            }
            known.components[component.key] = component
        }
        if let old, old.components == known.components, old.name == known.name, old.model == known.model {
            return nil
        }
        guard known.revision < Self.maximumRevisions else { return nil }
        known.revision += 1
        devices.use(device.address, default: known)
        _ = devices.update(device.address) { $0 = known }
        return publication(device.address, known)
    }

    /// What has made the messages.
    static let origin = JSON.object([("name", .string("RxBluetooth Gateway"))])

    private static func identifier(_ device: MessageDevice) -> String { "ble-" + device.mac.lowercased() }

    /// Whether a topic is that of a device's message.
    func isMessage(_ topic: String) -> Bool { topic.hasPrefix("\(settings.prefix)/device/ble-") }

    private func topic(_ address: BluetoothAddress) -> String {
        "\(settings.prefix)/device/\(Self.identifier(MessageDevice(address: address)))/config"
    }

    private func publication(_ address: BluetoothAddress, _ device: Device) -> Publication {
        var components = device.components.values.sorted { $0.key < $1.key }
        var message = publication(address, device, components)
        while let maximumSize, message.size > maximumSize, components.popLast() != nil {
            message = publication(address, device, components)
        }
        return message
    }

    private func publication(
        _ address: BluetoothAddress, _ device: Device, _ learned: [HomeAssistantComponent]
    ) -> Publication {
        let message = MessageDevice(address: address, name: device.name)
        let gateways = gateways(of: address)
        let hasSeveral = gateways.count > 1
        var components = learned + HomeAssistantComponent.presence(hasSeveralGateways: hasSeveral)
        if sharing != nil, hearers[address] != nil { components.append(.room) }
        let json = JSON.object([
            ("device", self.json(message, device)), ("origin", Self.origin),
            ("components", .object(components.map { ($0.key, self.json($0, message, hasSeveral)) })),
            ("state_topic", .string(topics.readingOfAllGateways(of: message))),
            (
                "availability",
                .array(gateways.map { .object([("topic", .string(topics.availability(ofGateway: $0)))]) })
            ),
            ("availability_mode", .string("any")),
        ])
        return Publication(topic: topic(address), payload: Array(json.text.utf8), isRetained: true)
    }

    private func json(_ message: MessageDevice, _ device: Device) -> JSON {
        let model = device.model ?? device.format?.rawValue
        let name = device.name ?? "\(model ?? "Device") \(message.mac.suffix(4))"
        var members: [(key: String, value: JSON)] = [
            ("identifiers", .array([.string(Self.identifier(message))])),
            ("connections", .array([.array([.string("bluetooth"), .string(message.address.description)])])),
            ("name", .string(name)),
        ]
        if let model { members.append(("model", .string(model))) }
        return .object(members)
    }

    private func json(_ component: HomeAssistantComponent, _ device: MessageDevice, _ hasSeveralGateways: Bool) -> JSON
    {
        var more: [(key: String, value: JSON)] = []
        if component.expires {
            more.append(("expire_after", .number(Int(settings.expireAfter.components.seconds))))
        }
        // A device that no gateway hears is out of range when its presence was not confirmed for this time.
        if component.key == "in_range", hasSeveralGateways {
            let delay = publishing.maximumInterval + publishing.presenceTimeout
            more.append(("off_delay", .number(Int(delay.components.seconds))))
        }
        let topic: String? =
            switch component.source {
            case .reading: nil
            case .presence: topics.presenceOfAllGateways(of: device)
            case .connection: topics.connectionOfAllGateways(of: device)
            case .room: sharing?.room(device.address)
            }
        let isShared = topics.isShared(component.source)
        return (isShared ? component.restricted(to: device) : component)
            .json(of: Self.identifier(device), stateTopic: topic, more)
    }
}
