import YAMLDocuments

/// Reads the settings of a gateway from YAML. Its functions report mistakes, and then continue with defaults.
struct ConfigurationReader {
    /// The folder to which paths are relative.
    let directory: String
    /// The folder to which the path of the store is relative; nil for `directory`.
    let stateFolder: String?
    /// The name of the configuration file.
    let file: String
    /// The access mode of the configuration file; nil for text without a file.
    let fileMode: UInt32?
    /// The files that were found so far.
    let readFiles = NamedFiles()

    /// Reads a whole document.
    func configuration(_ root: YAMLValue, hostName: String) -> GatewayConfiguration {
        let members = root.members([
            "name", "broker", "adapters", "filter", "devices", "other-devices", "topics", "publishing",
            "home-assistant", "store", "recovery", "connections", "commands", "sharing", "metrics",
        ])
        var configuration = GatewayConfiguration()
        let host = hostName.split(separator: ".").first.map(String.init) ?? ""
        if !host.isEmpty, host != DeviceSharing.notHome { configuration.name = TopicText.level(host) }
        if let name = members["name"] { set(&configuration.name, gatewayName(name)) }
        if let broker = members["broker"] { configuration.broker = self.broker(broker) }
        if let adapters = members["adapters"] { configuration.adapters = self.adapters(adapters) }
        if let filter = members["filter"] { configuration.filter = self.filter(filter) }
        if let devices = members["devices"] { configuration.devices = self.devices(devices, configuration.filter) }
        if let others = members["other-devices"] { configuration.otherDevices = otherDevices(others) }
        if let topics = members["topics"] { configuration.topics = self.topics(topics) }
        if let publishing = members["publishing"] { configuration.publishing = self.publishing(publishing) }
        if let homeAssistant = members["home-assistant"] {
            configuration.homeAssistant = self.homeAssistant(homeAssistant)
        }
        if let expireAfter = configuration.homeAssistant?.expireAfter,
            expireAfter <= configuration.publishing.maximumInterval
        {
            (members["home-assistant"] ?? members["publishing"])?.report(
                "home-assistant.expire-after is not longer than publishing.maximum-interval",
                "make it longer, so that unchanged values stay available")
        }
        if let store = members["store"] { configuration.store = self.store(store) }
        if let recovery = members["recovery"] { configuration.recovery = self.recovery(recovery) }
        if let connections = members["connections"] { configuration.connections = self.connections(connections) }
        if let commands = members["commands"] { configuration.commands = self.commands(commands) }
        if let sharing = members["sharing"] { configuration.sharing = self.sharing(sharing) }
        if configuration.sharing.isEnabled, !configuration.devices.isEmpty,
            !configuration.topics.availability.split(separator: "/").contains("{gateway}")
        {
            members["topics"]?.report(
                "topics.availability has no level {gateway}, by which gateways see each other",
                "write {gateway} between slashes, or write sharing: false")
        }
        if let value = members["topics"] ?? members["sharing"] ?? members["home-assistant"] {
            checkCommandTopic(configuration, at: value)
        }
        checkDiscoveryTopics(configuration, members)
        if let devices = members["devices"] { checkNamesInTopics(configuration, at: devices) }
        if let metrics = members["metrics"] { configuration.metricsPort = metricsPort(metrics) }
        return configuration
    }

    /// Replaces a default if a value was read.
    func set<Value>(_ target: inout Value, _ value: Value?) {
        if let value { target = value }
    }

    private func gatewayName(_ value: YAMLValue) -> String? {
        guard let name = value.text() else { return nil }
        guard name != DeviceSharing.notHome else {
            value.reportInvalid("write another name: Home Assistant takes this one for a device out of range")
            return nil
        }
        guard name == TopicText.level(name) else {
            value.reportInvalid("write at most 64 bytes without / + # { } and control characters, and no $ in front")
            return nil
        }
        return name
    }

    /// Reads the names or addresses of adapters.
    private func adapters(_ value: YAMLValue) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for element in value.list() {
            guard let text = element.text() else { continue }
            let name = text.utf8.count == 17 ? text.uppercased() : text
            let isIndex =
                name.hasPrefix("hci") && (1...3).contains(name.utf8.count - 3)
                && name.utf8.dropFirst(3).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isIndex || DevicePrefix(name)?.isComplete == true else {
                element.reportInvalid("write a name such as hci0, or an address such as 00:1A:7D:DA:71:13")
                continue
            }
            if known.insert(name).inserted {
                names.append(name)
            } else {
                element.report("\(name) is in the list twice", "remove one of them")
            }
        }
        return names
    }
}
