/// The names of the topics, as templates with `{gateway}`, `{address}`, `{mac}` (without colons) and `{name}`.
public struct TopicSettings: Hashable, Sendable {
    /// The first part of all topics.
    public var base = "home/{gateway}"
    /// Readings. The default is the layout of Theengs Gateway and OpenMQTTGateway.
    public var reading = "home/{gateway}/BTtoMQTT/{mac}"
    /// Presence and signal strength.
    public var presence = "home/{gateway}/presence/{mac}"
    /// Connection states, values and errors of GATT jobs.
    public var connection = "home/{gateway}/connection/{mac}"
    /// Retained `online` or `offline`; the latter is the last will.
    public var availability = "home/{gateway}/LWT"
    /// The status of the gateway.
    public var status = "home/{gateway}/status"
    /// Commands to the gateway.
    public var command = "home/{gateway}/commands/{mac}"
    /// Results of commands.
    public var result = "home/{gateway}/results/{mac}"

    /// Creates the default topics.
    public init() {}

    /// Creates the default topics with another first part.
    public init(base: String) {
        self.base = base
        reading = base + "/BTtoMQTT/{mac}"
        presence = base + "/presence/{mac}"
        connection = base + "/connection/{mac}"
        availability = base + "/LWT"
        status = base + "/status"
        command = base + "/commands/{mac}"
        result = base + "/results/{mac}"
    }
}

/// When a reading is published.
public struct PublishingSettings: Hashable, Sendable {
    /// The shortest time between two messages of a device with the same quantities.
    ///
    /// Events such as a pressed button are not delayed.
    public var minimumInterval: Duration = .seconds(1)
    /// Longer intervals of quantities, by their names, for example `batteryLevel: .seconds(3600)`.
    ///
    /// A change of such a quantity alone is published after this time. A message contains all values of its reading.
    public var minimumIntervals: [String: Duration] = [:]
    /// A reading that did not change is published again after this time.
    public var maximumInterval: Duration = .seconds(300)
    /// The smallest change of a quantity that counts, by the name of the quantity, for example `temperature: 0.1`.
    public var changes: [String: Double] = [:]
    /// The smallest change of the smoothed signal strength that is published, in dB.
    public var rssiChange = 5.0
    /// A device that was not heard for this time is lost.
    public var presenceTimeout: Duration = .seconds(60)
    /// The most readings, and the most values of links, in a minute on average, of each device of the configuration.
    ///
    /// Above it, only the newest ones are published. 20,000 values of a link at once do not exceed it, because a device
    /// may send its stored records.
    public var messagesPerMinute = 1_200

    /// Creates the default policy.
    public init() {}
}

/// Home Assistant's device discovery over MQTT.
public struct HomeAssistantSettings: Hashable, Sendable {
    /// The prefix of discovery topics.
    public var prefix = "homeassistant"
    /// The topic on which Home Assistant publishes `online` after a start.
    public var statusTopic = "homeassistant/status"
    /// A measured value without a new message for this time is unavailable.
    public var expireAfter: Duration = .seconds(3_600)
    /// Which devices are discovered.
    public var discovery = Discovery.knownFormats
    /// The largest number of discovered devices that ``GatewayConfiguration/devices`` does not contain.
    public var discoveryLimit = 100
    /// Such a device is removed if it was not heard for this time.
    public var discoveryExpiry: Duration = .seconds(86_400)

    /// Creates Home Assistant's defaults.
    public init() {}
}

/// The file in which readings wait for the broker.
public struct StoreSettings: Hashable, Sendable {
    /// The file; nil for memory only.
    public var path: String?
    /// The largest size of the waiting messages in bytes. When it is reached, the oldest are removed and counted.
    public var maximumBytes = 100 << 20
    /// How long readings are collected before they are stored together.
    public var batchInterval: Duration = .milliseconds(250)

    /// Creates settings without a file.
    public init() {}
}

/// When an adapter counts as silent, and what is tried.
public struct RecoverySettings: Hashable, Sendable {
    /// The shortest silence that starts recovery. The gateway also learns the normal rate of each adapter.
    public var minimumSilence: Duration = .seconds(10)
    /// The longest silence that is accepted, whatever the normal rate is.
    public var maximumSilence: Duration = .seconds(60)
    /// Whether the adapter may be switched off and on.
    public var allowsPowerCycle = true
    /// Whether an adapter that is not selected may take over while a selected one is silent.
    public var allowsOtherAdapter = false

    /// Creates the default settings.
    public init() {}
}

/// Several gateways on one broker.
public struct SharingSettings: Hashable, Sendable {
    /// Whether gateways divide the devices with GATT jobs among them.
    public var isEnabled = true
    /// The first part of the topics on which gateways report which devices they hear.
    public var base = "home/ble-gateways"
    /// How much better another gateway must hear a device before it takes it over, in dB.
    public var hysteresis = 8.0

    /// Creates the default settings.
    public init() {}
}
