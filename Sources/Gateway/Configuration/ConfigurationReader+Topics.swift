import YAMLDocuments

/// Reads the templates of topics.
extension ConfigurationReader {
    /// Reads the topics. Topics that are not named begin with the base.
    func topics(_ value: YAMLValue) -> TopicSettings {
        let keys = ["reading", "presence", "connection", "command", "result", "availability", "status"]
        let members = value.members(["base"] + keys)
        var topics = TopicSettings()
        if let base = members["base"], let text = base.text(), check(base, text, isOfDevice: false) {
            topics = TopicSettings(base: text)
        }
        let paths: [(key: String, path: WritableKeyPath<TopicSettings, String>)] = [
            ("reading", \.reading), ("presence", \.presence), ("connection", \.connection), ("command", \.command),
            ("result", \.result), ("availability", \.availability), ("status", \.status),
        ]
        var owners: [String: String] = [:]
        for (key, path) in paths {
            let isOfDevice = key != "availability" && key != "status"
            if let part = members[key], let text = part.text(), check(part, text, isOfDevice: isOfDevice) {
                topics[keyPath: path] = text
                if key == "command", !TopicTemplate(text).hasWholeLevelForDevice {
                    part.report(
                        "the device is only a part of a level of \(part.name)",
                        "write {mac} or {address} between slashes, so that the gateway can subscribe to it")
                }
            }
            if let owner = owners.updateValue(key, forKey: topics[keyPath: path]) {
                (members[key] ?? members[owner] ?? value).report(
                    "\(owner) and \(key) have the same topic", "change one of them")
            }
        }
        return topics
    }

    /// Reads a topic without placeholders.
    func plainTopic(_ value: YAMLValue) -> String? {
        guard let text = value.text() else { return nil }
        guard !text.contains("{"), !text.contains("}") else {
            value.report("\(value.name) has a placeholder", "write a topic without { and }")
            return nil
        }
        return check(value, text, isOfDevice: false) ? text : nil
    }

    private func check(_ value: YAMLValue, _ text: String, isOfDevice: Bool) -> Bool {
        guard let mistake = TopicTemplate.mistake(in: text, isOfDevice: isOfDevice) else { return true }
        value.report("\(value.name) \(mistake.problem)", mistake.advice)
        return false
    }
}
