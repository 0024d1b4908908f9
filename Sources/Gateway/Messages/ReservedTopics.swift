import RxBluetooth

/// Which advertised names may be used in topics. No device may publish to a topic of another part of the gateway.
///
/// Names of the devices of the configuration are reserved, and so are names that would make a topic of the gateway, of
/// a device without a name, or of Home Assistant. Topics are compared without case, spaces and replaced characters.
struct ReservedTopics: Sendable {
    private let topics: GatewayTopics
    /// The topics of devices of the configuration, with their owners; nil for topics of the gateway.
    private var owners: [String: BluetoothAddress?] = [:]
    /// The beginnings of topics of other gateways and of Home Assistant.
    private var areas: [String] = []
    private let commands: TopicFilter?

    /// Reserves the topics of a gateway and of the devices of its configuration.
    init(_ configuration: GatewayConfiguration) {
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        commands = TopicFilter(topics.commandFilter)
        guard topics.containNames else { return }
        var fixed = [topics.availability, topics.status, topics.discovered]
        if let homeAssistant = configuration.homeAssistant {
            fixed.append(homeAssistant.statusTopic)
            areas.append(Self.key(homeAssistant.prefix + "/"))
        }
        if configuration.sharing.isEnabled { areas.append(Self.key(configuration.sharing.base + "/")) }
        for topic in fixed { owners.updateValue(nil, forKey: Self.key(topic)) }
        for device in configuration.devices {
            reserve(nil, of: device.address)
            if let name = device.name { reserve(name, of: device.address) }
        }
    }

    /// Reserves the topics of a device with a name, or without one. The first owner of a topic keeps it.
    mutating func reserve(_ name: String?, of address: BluetoothAddress) {
        guard topics.containNames else { return }
        let device = MessageDevice(address: address, name: name)
        for topic in Self.all(topics, device) + [topics.command(of: device)] {
            let key = Self.key(topic)
            if owners[key] == nil { owners.updateValue(address, forKey: key) }
        }
    }

    /// Ends the reservation of a name that a device does not use any more.
    mutating func release(_ name: String, of address: BluetoothAddress) {
        let device = MessageDevice(address: address, name: name)
        for topic in Self.all(topics, device) + [topics.command(of: device)] where owners[Self.key(topic)] == address {
            owners.removeValue(forKey: Self.key(topic))
        }
        reserve(nil, of: address)
    }

    /// Whether a device may use a name in its topics.
    func allow(_ name: String, of address: BluetoothAddress) -> Bool {
        guard topics.containNames else { return true }
        let device = MessageDevice(address: address, name: name)
        // A device without a name has its address in the place of the name.
        let level = TopicText.level(name)
        guard BluetoothAddress(plainText: level) == nil || level.uppercased() == device.mac else { return false }
        let unnamed = Self.all(topics, MessageDevice(address: address))
        return zip(Self.all(topics, device), unnamed).allSatisfy { topic, plain in
            if topic == plain { return true }
            if let owner = owners[Self.key(topic)], owner != address { return false }
            return !isForeign(topic) || isForeign(plain)
        }
    }

    private func isForeign(_ topic: String) -> Bool {
        let key = Self.key(topic)
        return areas.contains { key.hasPrefix($0) } || commands?.matches(topic) == true
    }

    /// The topics to which messages about a device are published.
    private static func all(_ topics: GatewayTopics, _ device: MessageDevice) -> [String] {
        [
            topics.reading(of: device), topics.presence(of: device), topics.connection(of: device),
            topics.result(of: device),
        ]
    }

    /// The topic without differences that a person does not see, or that ``TopicText`` makes.
    private static func key(_ topic: String) -> String {
        topic.lowercased().filter { $0 != "_" && !$0.isWhitespace }
    }
}
