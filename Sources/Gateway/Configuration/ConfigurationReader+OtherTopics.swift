import YAMLDocuments

/// Checks the topics for mistakes that need the other parts of the configuration.
extension ConfigurationReader {
    /// Reports devices with one topic, in which messages of both would follow each other.
    ///
    /// - Parameter value: The list of devices.
    func checkNamesInTopics(_ configuration: GatewayConfiguration, at value: YAMLValue) {
        let topics = Self.topicsOfDevices(configuration.topics)
        guard let topic = topics.first(where: { TopicTemplate($0.template).hasOnlyNameOfDevice }) else { return }
        var lines: [String: Int] = [:]
        for element in value.list() {
            guard let name = element.node.mapping?.first(where: { $0.key.scalar == "name" })?.value,
                let text = name.scalar, !text.isEmpty
            else { continue }
            if let line = lines[TopicText.level(text)] {
                YAMLValue(name, element.name, value.mistakes).report(
                    "\(element.name) has the same name in topics as the device in line \(line), and \(topic.name) "
                        + "contains neither {mac} nor {address}", "change a name or the topic")
            } else {
                lines[TopicText.level(text)] = name.line
            }
        }
    }

    /// Reports topics of the gateway that Home Assistant would read as its own.
    func checkDiscoveryTopics(_ configuration: GatewayConfiguration, _ members: YAMLMembers) {
        guard let homeAssistant = configuration.homeAssistant,
            let part = members["topics"] ?? members["home-assistant"]
        else { return }
        let gateway = TopicText.level(configuration.name)
        let topics = configuration.topics
        let ofGateway = [("topics.availability", topics.availability), ("topics.status", topics.status)]
        for (name, template) in Self.topicsOfDevices(topics) + ofGateway {
            let topic = TopicTemplate(template).topic([.gateway: gateway])
            let key = name.split(separator: ".").last.map(String.init)
            let line = part.node.mapping?.first { $0.key.scalar == key }?.value ?? part.node
            let value = YAMLValue(line, name, part.mistakes)
            // Source: Home Assistant, MQTT discovery: <prefix>/<component>/[<node>/]<object>/config.
            if topic.hasPrefix(homeAssistant.prefix + "/"), topic.hasSuffix("/config") {
                value.report(
                    "\(name) is a topic from which Home Assistant reads discovery",
                    "choose a topic that does not begin with \(homeAssistant.prefix)/")
            } else if topic == homeAssistant.statusTopic {
                value.report("\(name) is also home-assistant.status-topic", "change one of them")
            }
        }
    }

    /// The templates of the topics to which the gateway publishes messages about devices.
    private static func topicsOfDevices(_ topics: TopicSettings) -> [(name: String, template: String)] {
        [
            ("topics.reading", topics.reading), ("topics.presence", topics.presence),
            ("topics.connection", topics.connection), ("topics.result", topics.result),
        ]
    }
}
