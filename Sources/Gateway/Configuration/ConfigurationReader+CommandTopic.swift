import YAMLDocuments

extension ConfigurationReader {
    /// Reports if the gateway would receive its own messages as commands. The results could make a loop.
    ///
    /// - Parameter value: The part of the file to which the mistake belongs.
    func checkCommandTopic(_ configuration: GatewayConfiguration, at value: YAMLValue) {
        // Otherwise, the reader of the topics has reported it.
        guard TopicTemplate(configuration.topics.command).hasWholeLevelForDevice else { return }
        let gateway = TopicText.level(configuration.name)
        let filter = GatewayTopics(configuration.topics, gateway: gateway).commandFilter
        guard TopicFilter(filter) != nil else {
            return value.report(
                "a placeholder of the device is only a part of a level of topics.command",
                "write {mac}, {address} and {name} between slashes, so that the gateway can subscribe to them")
        }
        let levels = Self.levels(filter)
        for (name, template) in ownTopics(configuration) {
            let topic = Self.levels(TopicTemplate(template).topic([.gateway: gateway]))
            let isResult = template == configuration.topics.result
            guard levels.count == topic.count,
                zip(levels, topic).allSatisfy({ Self.canMatch($0, $1, isNameHostile: isResult) })
            else { continue }
            return value.report(
                "topics.command also matches \(name), so the gateway would receive its own messages as commands",
                "give topics.command a level of its own, for example home/{gateway}/commands/{mac}")
        }
    }

    /// The templates of all topics that the gateway writes, with their names for the user.
    private func ownTopics(_ configuration: GatewayConfiguration) -> [(name: String, template: String)] {
        let topics = configuration.topics
        var all = [
            ("topics.reading", topics.reading), ("topics.presence", topics.presence),
            ("topics.connection", topics.connection), ("topics.result", topics.result),
            ("topics.availability", topics.availability), ("topics.status", topics.status),
            ("the list of discovered devices", topics.status + "/discovered"),
        ]
        if configuration.sharing.isEnabled {
            let base = configuration.sharing.base
            let parts = [
                "devices/{mac}/heard/{gateway}", "devices/{mac}/owner", "devices/{mac}/room", "gateways/{gateway}",
                "removed",
            ]
            for part in parts {
                all.append(("sharing.topic", "\(base)/\(part)"))
            }
        }
        if let homeAssistant = configuration.homeAssistant {
            all.append(("home-assistant.prefix", "\(homeAssistant.prefix)/device/{mac}/config"))
            all.append(("home-assistant.status-topic", homeAssistant.statusTopic))
        }
        return all
    }

    private static func levels(_ text: String) -> [Substring] {
        text.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Whether a level of the filter can match one of a topic, in which placeholders of the device remain.
    ///
    /// - Parameter isNameHostile: Whether the name of a device may be equal to a fixed level of the filter.
    private static func canMatch(_ level: Substring, _ other: Substring, isNameHostile: Bool) -> Bool {
        level == "+" || level == other || (isNameHostile && other.contains("{name}"))
    }
}
