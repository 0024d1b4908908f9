extension GatewayConfiguration {
    /// The settings of a running gateway after its configuration was read again.
    struct Reload: Equatable {
        /// The new settings, and the present ones where only a restart can change them.
        var configuration: GatewayConfiguration
        /// The keys of the file that have changed and need a restart.
        var needsRestart: [String] = []
    }

    /// Returns what a running gateway with these settings takes over from newer ones.
    func reload(_ new: GatewayConfiguration) -> Reload {
        var result = Reload(configuration: new)
        func keep<Value: Equatable>(_ path: WritableKeyPath<GatewayConfiguration, Value>, _ key: String) {
            guard self[keyPath: path] != new[keyPath: path] else { return }
            result.configuration[keyPath: path] = self[keyPath: path]
            result.needsRestart.append(key)
        }
        keep(\.name, "name")
        keep(\.broker, "broker")
        keep(\.adapters, "adapters")
        // The broker has the topic of the availability as the last will.
        if topics.availability != new.topics.availability { keep(\.topics, "topics") }
        if !hasSameHomeAssistant(as: new) { keep(\.homeAssistant, "home-assistant") }
        keep(\.store, "store")
        keep(\.recovery, "recovery")
        keep(\.connections, "connections")
        keep(\.sharing, "sharing")
        keep(\.metricsPort, "metrics")
        return result
    }

    /// Whether discovery uses the same topics, so that the messages at the broker stay valid.
    private func hasSameHomeAssistant(as other: GatewayConfiguration) -> Bool {
        homeAssistant?.prefix == other.homeAssistant?.prefix
            && homeAssistant?.statusTopic == other.homeAssistant?.statusTopic
    }
}
