import BluetoothValues
import YAMLDocuments

/// Reads the limits of publishing, and the settings of the other parts.
extension ConfigurationReader {
    func publishing(_ value: YAMLValue) -> PublishingSettings {
        let members = value.members([
            "minimum-interval", "minimum-intervals", "maximum-interval", "changes", "rssi-change", "presence-timeout",
            "messages-per-minute",
        ])
        var publishing = PublishingSettings()
        let day = Duration.seconds(86_400)
        set(&publishing.minimumInterval, members["minimum-interval"]?.duration(.zero...day))
        set(&publishing.maximumInterval, members["maximum-interval"]?.duration(.seconds(1)...day))
        set(&publishing.rssiChange, members["rssi-change"]?.decimal(0...100, example: "5"))
        set(&publishing.presenceTimeout, members["presence-timeout"]?.duration(.seconds(1)...day))
        set(&publishing.messagesPerMinute, members["messages-per-minute"]?.integer(10...10_000_000))
        if let changes = members["changes"] {
            publishing.changes = quantities(changes) { $0.decimal(0...1e9, example: "0.5") }
        }
        if let intervals = members["minimum-intervals"] {
            let range = (publishing.minimumInterval, publishing.maximumInterval)
            publishing.minimumIntervals = quantities(intervals) { interval($0, between: range) }
        }
        if publishing.minimumInterval > publishing.maximumInterval {
            (members["minimum-interval"] ?? members["maximum-interval"])?.report(
                "minimum-interval is longer than maximum-interval",
                "make it at most \(YAMLValue.text(publishing.maximumInterval))")
        }
        return publishing
    }

    /// Reads the interval of one quantity, which has an effect only between those of all quantities.
    private func interval(_ value: YAMLValue, between range: (minimum: Duration, maximum: Duration)) -> Duration? {
        guard let interval = value.duration(.zero ... .seconds(86_400)) else { return nil }
        if interval < range.minimum {
            value.report(
                "\(value.name) is shorter than minimum-interval, so it has no effect",
                "make it at least \(YAMLValue.text(range.minimum))")
        } else if interval > range.maximum {
            value.report(
                "\(value.name) is longer than maximum-interval, so it has no effect",
                "make it at most \(YAMLValue.text(range.maximum))")
        }
        return interval
    }

    /// Reads values by quantity. A quantity may be written `batteryLevel` or `battery-level`.
    private func quantities<Value>(_ value: YAMLValue, _ read: (YAMLValue) -> Value?) -> [String: Value] {
        let names = Dictionary(uniqueKeysWithValues: Quantity.allCases.map { ($0.rawValue.kebabCase, $0.rawValue) })
        let words = names.keys.sorted()
        var values: [String: Value] = [:]
        for (key, part) in value.pairs() {
            let text = key.node.scalar ?? ""
            guard let quantity = Quantity(rawValue: text)?.rawValue ?? names[text] else {
                let guess = key.mistakes.guess(for: text, in: words).map { "did you mean “\($0)”? " } ?? ""
                key.report(
                    "unknown quantity “\(YAMLValue.quoted(text))” in \(value.name)",
                    guess + "use a quantity such as temperature, humidity or battery-level")
                continue
            }
            guard let read = read(part) else { continue }
            if values.updateValue(read, forKey: quantity) != nil {
                key.report("\(quantity) is in \(value.name) twice", "remove one of them")
            }
        }
        return values
    }

    /// Reads the settings of Home Assistant, or `false`.
    func homeAssistant(_ value: YAMLValue) -> HomeAssistantSettings? {
        if value.node.scalar != nil, !value.isNull { return value.flag() == false ? nil : HomeAssistantSettings() }
        let members = value.members([
            "prefix", "status-topic", "expire-after", "discovery", "discovery-limit", "discovery-expiry",
        ])
        var settings = HomeAssistantSettings()
        if let prefix = members["prefix"].flatMap(plainTopic) {
            settings.prefix = prefix
            settings.statusTopic = prefix + "/status"
        }
        set(&settings.statusTopic, members["status-topic"].flatMap(plainTopic))
        set(&settings.expireAfter, members["expire-after"]?.duration(.seconds(10) ... .seconds(30 * 86_400)))
        let policies = HomeAssistantSettings.Discovery.allCases.map { (word: $0.rawValue, value: $0) }
        set(&settings.discovery, members["discovery"]?.choice(policies))
        set(&settings.discoveryLimit, members["discovery-limit"]?.integer(0...1_000))
        set(&settings.discoveryExpiry, members["discovery-expiry"]?.duration(.seconds(60) ... .seconds(365 * 86_400)))
        return settings
    }

    func recovery(_ value: YAMLValue) -> RecoverySettings {
        let members = value.members(["minimum-silence", "maximum-silence", "power-cycle", "other-adapter"])
        var recovery = RecoverySettings()
        let range = Duration.seconds(1)...Duration.seconds(86_400)
        set(&recovery.minimumSilence, members["minimum-silence"]?.duration(range))
        set(&recovery.maximumSilence, members["maximum-silence"]?.duration(range))
        set(&recovery.allowsPowerCycle, members["power-cycle"]?.flag())
        set(&recovery.allowsOtherAdapter, members["other-adapter"]?.flag())
        if recovery.minimumSilence > recovery.maximumSilence {
            (members["minimum-silence"] ?? members["maximum-silence"])?.report(
                "minimum-silence is longer than maximum-silence",
                "make it at most \(YAMLValue.text(recovery.maximumSilence))")
        }
        return recovery
    }

    func connections(_ value: YAMLValue) -> GATTCentral.Settings {
        let members = value.members(["maximum", "minimum-stay", "heard-timeout"])
        var connections = GATTCentral.Settings()
        set(&connections.maximumLinks, members["maximum"]?.integer(1...1_000))
        set(&connections.minimumStay, members["minimum-stay"]?.duration(.zero ... .seconds(86_400)))
        set(&connections.heardTimeout, members["heard-timeout"]?.duration(.seconds(1) ... .seconds(3600)))
        return connections
    }

    func commands(_ value: YAMLValue) -> CommandSettings {
        let members = value.members(["maximum-age"])
        var commands = CommandSettings()
        set(&commands.maximumAge, members["maximum-age"]?.duration(.seconds(1) ... .seconds(86_400)))
        return commands
    }

    /// Reads the settings of several gateways, or `false`.
    func sharing(_ value: YAMLValue) -> SharingSettings {
        var sharing = SharingSettings()
        if value.node.scalar != nil, !value.isNull {
            set(&sharing.isEnabled, value.flag())
            return sharing
        }
        let members = value.members(["topic", "hysteresis"])
        set(&sharing.base, members["topic"].flatMap(plainTopic))
        set(&sharing.hysteresis, members["hysteresis"]?.decimal(0...100, example: "8"))
        return sharing
    }

    /// Reads the port of the metrics, or `false`.
    func metricsPort(_ value: YAMLValue) -> UInt16? {
        let advice = "write metrics: { port: 9465 }"
        let isFlag = value.node.scalar != nil && !value.isNull
        if isFlag ? value.flag(advice: advice + ", or false") == true : value.node.mapping?.isEmpty == true {
            value.report("metrics has no port", advice)
        }
        return isFlag ? nil : value.members(["port"])["port"]?.integer(1...65_535).map { UInt16($0) }
    }
}

extension String {
    /// A name of a quantity or state as a key: `battery-level` for `batteryLevel`.
    var kebabCase: String { separated(by: "-") }

    /// A name of a quantity or state as a property: `battery_level` for `batteryLevel`.
    var snakeCase: String { separated(by: "_") }

    private func separated(by separator: String) -> String {
        var text = ""
        for character in self {
            if character.isUppercase {
                text += separator + character.lowercased()
            } else {
                text += character == "_" ? separator : String(character)
            }
        }
        return text
    }
}
