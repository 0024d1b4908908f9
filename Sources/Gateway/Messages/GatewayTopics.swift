public import RxBluetooth

/// A device in messages: its address, and the name that people read.
public struct MessageDevice: Hashable, Sendable {
    /// The address of the device.
    public var address: BluetoothAddress
    /// The configured or advertised name; nil if there is none. It may be hostile.
    public var name: String?
    /// Whether the configuration contains the device. Messages of other devices have low priority.
    public var isConfigured = true

    /// Creates a device of the configuration.
    public init(address: BluetoothAddress, name: String? = nil) {
        self.address = address
        self.name = name
    }

    /// The address without colons, for example `A4C138000001`.
    public var mac: String { address.plainText }

    /// The priority of the messages about the device.
    var priority: Publication.Priority { isConfigured ? .normal : .low }
}

/// The topics of one gateway.
///
/// Names of gateways and devices become one level of a topic each: `/`, `+`, `#` and control characters are replaced.
public struct GatewayTopics: Hashable, Sendable {
    private enum Kind: Hashable { case reading, presence, connection, command, result }

    private let gateway: String
    private let settings: TopicSettings
    private let templates: [Kind: TopicTemplate]

    /// Creates the topics from their templates and the name of the gateway.
    public init(_ settings: TopicSettings, gateway: String) {
        self.gateway = TopicText.level(gateway)
        self.settings = settings
        templates = [
            .reading: TopicTemplate(settings.reading), .presence: TopicTemplate(settings.presence),
            .connection: TopicTemplate(settings.connection), .command: TopicTemplate(settings.command),
            .result: TopicTemplate(settings.result),
        ]
    }

    /// The topic of the retained texts `online` and `offline`.
    public var availability: String { availability(ofGateway: gateway) }

    /// The topic of the gateway's status.
    public var status: String { TopicTemplate(settings.status).topic([.gateway: gateway]) }

    /// The topic of the list of devices for which the gateway has published discovery.
    var discovered: String { status + "/discovered" }

    /// Returns the topic on which a gateway with the same settings but another name publishes `online` and `offline`.
    public func availability(ofGateway name: String) -> String {
        TopicTemplate(settings.availability).topic([.gateway: TopicText.level(name)])
    }

    /// Returns the topic of a device's readings.
    public func reading(of device: MessageDevice) -> String { topic(.reading, device, gateway) }

    /// Returns the topic of a device's presence.
    public func presence(of device: MessageDevice) -> String { topic(.presence, device, gateway) }

    /// Returns the topic of a device's connection states and GATT values.
    public func connection(of device: MessageDevice) -> String { topic(.connection, device, gateway) }

    /// Returns the topic of commands to a device.
    public func command(of device: MessageDevice) -> String { topic(.command, device, gateway) }

    /// Returns the topic of the results of a device's commands.
    public func result(of device: MessageDevice) -> String { topic(.result, device, gateway) }

    /// The filter that matches the commands to all devices of this gateway.
    public var commandFilter: String {
        TopicTemplate(settings.command).topic([.gateway: gateway, .mac: "+", .address: "+", .name: "+"])
    }

    /// Returns the device to which a command is addressed; nil if the topic is not one of ``commandFilter``.
    public func device(ofCommand topic: String) -> BluetoothAddress? {
        guard let levels = levels(ofCommand: topic) else { return nil }
        var address: BluetoothAddress?
        for (expected, level) in levels {
            switch expected {
            case "{mac}":
                guard level.utf8.count == 12, let number = UInt64(level, radix: 16), level.allSatisfy(\.isHexDigit)
                else {
                    return nil
                }
                guard address == nil || address == BluetoothAddress(number) else { return nil }
                address = BluetoothAddress(number)
            case "{address}":
                guard let given = BluetoothAddress(String(level)), address == nil || address == given else {
                    return nil
                }
                address = given
            case "{name}": continue
            default: guard expected == level else { return nil }
            }
        }
        return address
    }

    /// Returns the topic for the answer to a command with another text in the place of the address.
    ///
    /// Nil if the topic is not one of ``commandFilter``.
    func result(ofCommand topic: String) -> String? {
        guard let text = levels(ofCommand: topic)?.first(where: { $0.0 == "{mac}" || $0.0 == "{address}" })?.1
        else { return nil }
        let level = TopicText.level(String(text))
        return templates[.result]?.topic { $0 == .gateway ? gateway : level }
    }

    /// Returns the levels of the topic with those of its template; nil if it has another number of levels.
    private func levels(ofCommand topic: String) -> Zip2Sequence<[Substring], [Substring]>? {
        let pattern = TopicTemplate(settings.command).topic([.gateway: gateway])
            .split(separator: "/", omittingEmptySubsequences: false)
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        return levels.count == pattern.count ? zip(pattern, levels) : nil
    }

    /// Returns the filter for a device's readings from all gateways, if the name of the gateway is a level of its own.
    func readingOfAllGateways(of device: MessageDevice) -> String { ofAllGateways(.reading, settings.reading, device) }

    /// Returns the filter for a device's presence at all gateways, if the name of the gateway is a level of its own.
    func presenceOfAllGateways(of device: MessageDevice) -> String {
        ofAllGateways(.presence, settings.presence, device)
    }

    /// Returns the filter for a device's values of jobs, if the name of the gateway is a level of its own.
    func connectionOfAllGateways(of device: MessageDevice) -> String {
        ofAllGateways(.connection, settings.connection, device)
    }

    /// Whether the topics of readings, presence, connections or results contain the names of devices.
    var containNames: Bool {
        let kinds: [Kind] = [.reading, .presence, .connection, .result]
        return kinds.contains { templates[$0]?.hasName == true }
    }

    /// Whether devices with the same name have the same topic of readings, presence or connections.
    func isShared(_ source: HomeAssistantComponent.Source) -> Bool {
        switch source {
        case .reading: templates[.reading]?.hasOnlyNameOfDevice == true
        case .presence: templates[.presence]?.hasOnlyNameOfDevice == true
        case .connection: templates[.connection]?.hasOnlyNameOfDevice == true
        case .room: false
        }
    }

    private func ofAllGateways(_ kind: Kind, _ template: String, _ device: MessageDevice) -> String {
        let levels = template.split(separator: "/", omittingEmptySubsequences: false)
        let isWhole = levels.allSatisfy { $0 == "{gateway}" || !$0.contains("{gateway}") }
        return topic(kind, device, isWhole ? "+" : gateway)
    }

    private func topic(_ kind: Kind, _ device: MessageDevice, _ gateway: String) -> String {
        guard let template = templates[kind] else { return "" }
        return template.topic { placeholder -> String? in
            switch placeholder {
            case .gateway: gateway
            case .address: device.address.description
            case .mac: device.mac
            case .name: TopicText.level(device.name ?? device.mac)
            }
        }
    }
}
