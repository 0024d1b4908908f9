// Gateways without a readable availability.
extension DeviceConnections {
    /// Learns from a message of another gateway.
    func checkAvailability(of message: ReceivedMessage) {
        guard let sharing else { return }
        silentGateways.receive(
            sharing.topics.subject(of: message.topic), isEmpty: message.payload.isEmpty, at: loop.monotonicTime)
        planSilenceCheck()
    }

    private func planSilenceCheck() {
        guard !silenceCheck.isPlanned, let due = silentGateways.due else { return }
        silenceCheck.plan(after: due - loop.monotonicTime, of: self) { connections in
            connections.reportSilent(connections.silentGateways.take(at: connections.loop.monotonicTime))
            connections.planSilenceCheck()
        }
    }

    private func reportSilent(_ names: [String]) {
        guard let first = names.first, let topics = sharing?.topics else { return }
        let others = names.count == 1 ? "" : " and \(names.count - 1) others have"
        onSilentGateways?(
            "the gateway \(first)\(others.isEmpty ? " has" : others) announced itself, but its availability does not "
                + "arrive; check the access rights to read \(topics.availabilityFilter) in the broker, or remove the "
                + "retained message of \(topics.presence(first)) if that gateway does not exist")
    }
}
