public import FoundationEssentials
import RxBluetoothSupport

/// The status of a gateway, which it publishes from time to time.
public struct GatewayStatus: Hashable, Sendable {
    /// The status of an adapter.
    public struct Adapter: Hashable, Sendable {
        /// The name, for example `hci0`.
        public var name: String
        /// The address; nil if it is not known.
        public var address: String?
        /// One word for what the adapter does, for example `receiving`, `silent` or `off`.
        public var state = "receiving"
        /// The advertisements received per second.
        public var advertisementsPerSecond = 0.0
        /// The wall time of the last advertisement; nil if there was none.
        public var lastHeard: Date?
        /// How often each recovery step was taken, by its name.
        public var recoverySteps: [String: Int] = [:]
        /// The name of the last recovery step; nil if none was taken.
        public var lastRecoveryStep: String?
        /// The wall time at which that step began.
        public var lastRecovery: Date?

        /// Creates the status of an adapter.
        public init(name: String) { self.name = name }
    }

    /// The name of the gateway.
    public var name: String
    /// The version of the program.
    public var version: String
    /// How long the gateway runs.
    public var uptime: Duration
    /// The adapters.
    public var adapters: [Adapter] = []
    /// The version of bluetoothd, for example `5.82`; nil while it is not known.
    public var bluezVersion: String?
    /// One word for why nothing can be received with any adapter, for example `no-bus`; nil if nothing is known.
    public var obstacle: String?
    /// The selected adapters that do not exist, as the configuration names them.
    public var missingAdapters: [String] = []
    /// The messages that wait for the broker.
    public var store = StoreSummary()
    /// Why messages cannot be stored; nil while they can.
    public var storeFailure: StoreFailure.Kind?
    /// The number of connections to the broker that were accepted.
    public var brokerConnections = 0
    /// Whether the broker keeps retained messages, as far as it has reported.
    public var keepsRetained = true
    /// The number of devices in range.
    public var devices = 0
    /// The number of readings that were not published because they did not change enough.
    public var suppressed = 0
    /// What was lost or ignored, by its reason.
    public var drops: [String: Int] = [:]
    /// The process that publishes this status; nil in a status that is not published.
    var instance: InstanceWatch.Instance?
    /// The machine on which another gateway with the same name runs; nil if there is none.
    public var duplicate: String?
    /// The wall time of this status.
    public var time: Date

    /// Creates a status.
    public init(name: String, version: String, uptime: Duration, time: Date) {
        self.name = name
        self.version = version
        self.uptime = uptime
        self.time = time
    }

    /// The JSON object in UTF-8, without control characters.
    public var payload: [UInt8] { json.bytes }

    /// The message for the broker: retained, and with confirmation, so that a refusal is reported.
    public func publication(_ topics: GatewayTopics) -> Publication {
        Publication(topic: topics.status, payload: payload, isRetained: true)
    }

    /// The state of the broker. That it keeps retained messages is normal, and not mentioned.
    private var broker: JSON {
        var members: [(key: String, value: JSON)] = [(key: "connections", value: .number(brokerConnections))]
        if !keepsRetained { members.append((key: "retained", value: .bool(false))) }
        return .object(members)
    }

    var json: JSON {
        .object([
            ("gateway", .string(name)), ("version", .string(version)),
            ("uptime", .number(Int(uptime.components.seconds))), ("devices", .number(devices)),
            ("suppressed", .number(suppressed)),
            ("drops", .object(drops.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
            ("broker", broker),
            (
                "store",
                .object([
                    ("count", .number(store.count)), ("bytes", .number(store.bytes)),
                    ("dropped", .number(store.dropped)), ("failure", .string(orNull: storeFailure?.word)),
                ])
            ),
            ("bluez_version", .string(orNull: bluezVersion)), ("obstacle", .string(orNull: obstacle)),
            ("missing_adapters", .array(missingAdapters.map { .string($0) })),
            ("adapters", .array(adapters.map(\.json))), ("instance", instance?.json ?? .null),
            ("duplicate", .string(orNull: duplicate)), ("time", .string(MessageTime.text(time))),
        ])
    }
}

extension GatewayStatus.Adapter {
    fileprivate var json: JSON {
        .object([
            ("name", .string(name)), ("address", .string(orNull: address)), ("state", .string(state)),
            ("advertisements_per_second", .double((advertisementsPerSecond * 100).rounded() / 100)),
            ("last_heard", .string(orNull: lastHeard.map(MessageTime.text))),
            (
                "recovery_steps",
                .object(recoverySteps.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })
            ),
            ("last_recovery_step", .string(orNull: lastRecoveryStep)),
            ("last_recovery", .string(orNull: lastRecovery.map(MessageTime.text))),
        ])
    }
}
