import RxBluetoothSupport

/// Makes the retained message by which Home Assistant discovers the gateway itself, as a device. A pure value.
///
/// Its entities show whether the gateway is online, and what its retained status says. The devices that it hears do not
/// refer to it, because several gateways make the same messages about them.
public struct HomeAssistantGateway: Sendable {
    /// An adapter with entities.
    private struct Adapter: Hashable, Sendable {
        /// The text by which its entities keep their identity: its address, or else its name.
        let key: String
        let name: String
        /// Selects the adapter in the status.
        let condition: String

        /// Makes an adapter of a status; nil while its name is not known.
        init?(_ status: GatewayStatus.Adapter) {
            // Templates contain these texts without escapes.
            guard status.name != status.address, status.name.utf8.allSatisfy({ $0.isWord }),
                status.address?.utf8.allSatisfy({ $0.isWord || $0 == UInt8(ascii: ":") }) != false
            else { return nil }
            name = status.name
            key = (status.address?.filter { $0 != ":" } ?? name).lowercased()
            condition = status.address.map { "a.address == '\($0)'" } ?? "a.name == '\(name)'"
        }
    }

    private static let maximumAdapters = 16
    private static let maximumRemovals = 128

    private let settings: HomeAssistantSettings
    /// The topics of the gateway. Publish the message after a change.
    var topics: GatewayTopics
    private let name: String
    private var version = GatewayVersion.current
    private var adapters: [Adapter] = []
    /// The components of the message that an earlier process has left at the broker, with their platforms.
    private var earlier: [(key: String, platform: String)] = []
    /// The time of the first status with an adapter; nil while there is none.
    private var hasAdaptersSince: Duration?

    /// Creates the discovery of a gateway without adapters; nil if the configuration switches it off.
    public init?(_ configuration: GatewayConfiguration) {
        guard let settings = configuration.homeAssistant else { return nil }
        self.settings = settings
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        name = configuration.name
    }

    /// Learns from a status. Returns the message if an adapter is new or has another name.
    ///
    /// An adapter that is unplugged keeps its entities until the next start.
    public mutating func update(_ status: GatewayStatus) -> Publication? {
        let old = (version, adapters)
        version = status.version
        for adapter in status.adapters.compactMap({ Adapter($0) }) {
            if let index = adapters.firstIndex(where: { $0.key == adapter.key }) {
                adapters[index] = adapter
            } else if adapters.count < Self.maximumAdapters {
                adapters.append(adapter)
            }
        }
        return old == (version, adapters) ? nil : publication
    }

    /// The topic of the message, to subscribe to.
    public var topic: String { "\(settings.prefix)/device/\(identifier)/config" }

    /// Learns from the message that an earlier process has left at the broker. Returns whether the topic is its own.
    public mutating func receive(_ message: ReceivedMessage) -> Bool {
        guard message.topic == topic else { return false }
        guard message.isRetained, earlier.isEmpty, let json = try? JSONParser.parse(message.payload, upTo: 64 << 10),
            case .object(let components)? = json["components"]
        else { return true }
        for component in components.prefix(Self.maximumRemovals) {
            guard let platform = component.value["platform"]?.text, component.key.utf8.allSatisfy({ $0.isWord }),
                ["sensor", "binary_sensor"].contains(platform)
            else { continue }
            earlier.append((component.key, platform))
        }
        return true
    }

    /// Returns the messages that remove the entities of adapters that are gone since an earlier process; usually none.
    ///
    /// They follow with the first status 50 s after the first one with an adapter, so that slow ones are not removed.
    public mutating func removals(_ status: GatewayStatus) -> [Publication] {
        if hasAdaptersSince == nil, !status.adapters.isEmpty { hasAdaptersSince = status.uptime }
        guard !earlier.isEmpty, let since = hasAdaptersSince, status.uptime >= since + .seconds(50) else { return [] }
        let present = Set(components.map(\.key))
        let gone = earlier.filter { !present.contains($0.key) }
        earlier = []
        guard !gone.isEmpty else { return [] }
        // Home Assistant removes a component of which only the platform is left.
        let removed = gone.map { (key: $0.key, value: JSON.object([("platform", .string($0.platform))])) }
        return [publication(components + removed), publication]
    }

    /// The message, for a new connection to the broker, and for a start of Home Assistant.
    public var publication: Publication { publication(components) }

    private func publication(_ components: [(key: String, value: JSON)]) -> Publication {
        let json = JSON.object([
            (
                "device",
                .object([
                    ("identifiers", .array([.string(identifier)])), ("name", .string("BLE gateway \(name)")),
                    ("model", .string("ble-gateway")), ("sw_version", .string(version)),
                ])
            ),
            ("origin", HomeAssistantDiscovery.origin), ("components", .object(components)),
            ("state_topic", .string(topics.status)),
        ])
        return Publication(topic: topic, payload: Array(json.text.utf8), isRetained: true)
    }

    /// The identifier, also a level of the topic. Home Assistant only accepts letters, digits, `-` and `_` there.
    private var identifier: String {
        var text = "ble-gateway-"
        for byte in TopicText.level(name).utf8 {
            if byte.isWord, byte != UInt8(ascii: "_") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }

    private var components: [(key: String, value: JSON)] {
        var online = HomeAssistantComponent(
            .binarySensor, "online", template: "{{ 'ON' if value == 'online' else 'OFF' }}")
        online.deviceClass = "connectivity"
        online.isDiagnostic = true
        let version = diagnostic("version", "Version", "{{ value_json.version }}")
        var devices = diagnostic("devices", "Devices in range", "{{ value_json.devices }}")
        devices.stateClass = "measurement"
        let others = [version, devices] + adapters.flatMap { sensors(of: $0) }
        let availability = ("availability_topic", JSON.string(topics.availability))
        // The state of `online` would never be shown if the entity were unavailable while the gateway is offline.
        return [(online.key, online.json(of: identifier, stateTopic: topics.availability))]
            + others.map { ($0.key, $0.json(of: identifier, stateTopic: nil, [availability])) }
    }

    private func sensors(of adapter: Adapter) -> [HomeAssistantComponent] {
        // The status does not contain an adapter that is unplugged.
        func sensor(_ key: String, _ name: String, _ value: String, absent: String = "") -> HomeAssistantComponent {
            let other = absent.isEmpty ? "" : "{% else %}\(absent)"
            return diagnostic(
                "\(adapter.key)_\(key)", "\(adapter.name) \(name)",
                "{% for a in value_json.adapters if \(adapter.condition) %}{{ \(value) }}\(other){% endfor %}")
        }
        var rate = sensor("rate", "advertisements", "a.advertisements_per_second")
        rate.stateClass = "measurement"
        rate.unit = "1/s"
        var steps = sensor("recovery_steps", "recovery steps", "a.recovery_steps.values() | sum")
        steps.stateClass = "total_increasing"
        let last = "a.last_recovery_step | default('none', true)"
        return [
            sensor("state", "state", "a.state", absent: "missing"), rate, steps,
            sensor("last_recovery_step", "last recovery step", last, absent: "none"),
        ]
    }

    private func diagnostic(_ key: String, _ name: String, _ template: String) -> HomeAssistantComponent {
        var sensor = HomeAssistantComponent(.sensor, key, template: template)
        sensor.name = name
        sensor.isDiagnostic = true
        return sensor
    }
}

extension UInt8 {
    /// Whether this is a letter, a digit, `-` or `_` in ASCII.
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
