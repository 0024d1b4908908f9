public import BluetoothValues
public import RxBluetooth

/// The settings of a gateway: the content of its configuration file, with defaults for what it does not name.
public struct GatewayConfiguration: Hashable, Sendable {
    /// The name of the gateway in topics and in the client identifier. Default: the host name.
    public var name = "gateway"
    /// The connection to the broker.
    public var broker = BrokerSettings()
    /// The names or addresses of the adapters to use; empty for all.
    public var adapters: [String] = []
    /// Which devices are published.
    public var filter = DeviceFilter()
    /// The devices with names, keys or GATT jobs.
    public var devices: [DeviceSettings] = []
    /// The limits of all other devices.
    public var otherDevices = OtherDeviceSettings()
    /// The names of the topics.
    public var topics = TopicSettings()
    /// When a reading is published.
    public var publishing = PublishingSettings()
    /// Home Assistant's device discovery; nil to switch it off.
    public var homeAssistant: HomeAssistantSettings? = HomeAssistantSettings()
    /// The file in which readings wait for the broker.
    public var store = StoreSettings()
    /// When an adapter counts as silent, and what is tried.
    public var recovery = RecoverySettings()
    /// The links of each adapter to devices with jobs or commands.
    public var connections = GATTCentral.Settings()
    /// The commands to devices.
    public var commands = CommandSettings()
    /// Several gateways on one broker.
    public var sharing = SharingSettings()
    /// The port of Prometheus' metrics on the loopback interface; nil for none.
    public var metricsPort: UInt16?

    /// Creates the default settings.
    public init() {}
}

/// The settings of the connection to the broker.
public struct BrokerSettings: Hashable, Sendable {
    /// The versions of MQTT.
    public enum Version: String, Hashable, Sendable { case v311 = "3.1.1", v5 = "5" }

    /// The settings of TLS.
    public struct TLS: Hashable, Sendable {
        /// The file with the certificates of the authorities to trust; nil for those of the system.
        public var authorities: String?
        /// The file with the certificate of the gateway.
        public var certificate: String?
        /// The file with the private key of the gateway. Only its owner may read it.
        public var key: String?

        /// Creates settings that trust the authorities of the system.
        public init() {}
    }

    public var host = "localhost"
    /// The port; nil for 1883, or 8883 with TLS.
    public var port: UInt16?
    public var version = Version.v5
    /// TLS; nil for none.
    public var tls: TLS?
    public var user: String?
    /// The password, from a file. It is not part of descriptions.
    public var password: Secret?
    /// The identifier of the client; nil for one that is made of the name of the gateway.
    public var clientIdentifier: String?
    /// How long the broker keeps the session of a disconnected gateway.
    public var sessionExpiry: Duration = .seconds(86_400)
    public var keepAlive: Duration = .seconds(15)
    /// The number of messages that are sent before the first of them is confirmed.
    public var messagesInFlight = 20
    /// The first and the longest pause between two attempts to connect.
    public var initialDelay: Duration = .seconds(1)
    public var maximumDelay: Duration = .seconds(60)

    /// Creates the settings of a broker on this machine.
    public init() {}
}

/// The settings of commands to devices.
public struct CommandSettings: Hashable, Sendable {
    /// A command that was sent longer ago is not executed.
    public var maximumAge: Duration = .seconds(30)

    /// Creates the default settings.
    public init() {}
}

/// Text that does not appear in descriptions.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var text: String

    /// Creates a secret.
    public init(_ text: String) { self.text = text }

    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which devices are published.
public struct DeviceFilter: Hashable, Sendable {
    /// The addresses, or first bytes of addresses such as `A4:C1:38`, to publish; empty for all.
    public var allowed: [String] = []
    /// The addresses, or first bytes of addresses, that are never published. This list wins.
    public var denied: [String] = []
    /// The weakest signal to publish, in dBm; nil for all.
    public var minimumRSSI: Int?
    /// Whether devices without a decoded reading are published.
    public var includesUnknown = false

    /// Creates a filter that matches all devices with readings.
    public init() {}
}

/// The settings of one device.
public struct DeviceSettings: Hashable, Sendable {
    public var address: BluetoothAddress
    /// The name in Home Assistant and in messages; nil for the advertised name.
    public var name: String?
    /// The key of encrypted advertisements.
    public var key: DeviceKey?
    /// The identity resolving key of a device with changing private addresses. ``address`` is its identity.
    public var identityKey: DeviceKey?
    /// What is done over a connection; empty for a device that is only listened to.
    public var jobs: [GATTJob] = []

    /// Creates the settings of a device without jobs.
    public init(address: BluetoothAddress) { self.address = address }
}

/// Something that is done repeatedly over a connection.
public struct GATTJob: Hashable, Sendable {
    /// The kinds of jobs.
    public enum Kind: Hashable, Sendable {
        /// The characteristic is read, for the first time after the connection.
        case read(every: Duration)
        /// Notifications or indications are received.
        case notify
    }

    public var kind: Kind
    public var characteristic: BluetoothUUID
    /// The service; nil if only one service has the characteristic.
    public var service: BluetoothUUID?
    /// The name of the value in messages; nil for the name of the characteristic.
    public var name: String?

    /// Creates a job.
    public init(_ kind: Kind, of characteristic: BluetoothUUID, in service: BluetoothUUID? = nil) {
        self.kind = kind
        self.characteristic = characteristic
        self.service = service
    }
}
