extension BrokerSupervisor {
    /// Publishes `online` again if another client has replaced it, because others take its content for the truth.
    func checkAvailability(_ payload: [UInt8]) {
        isAvailabilityWrong = payload != Self.online
        guard case .connected = phase, isAvailabilityWrong, !correction.isPlanned else { return }
        let now = loop.monotonicTime
        let due = corrections.earliest(at: now)
        guard due > now else { return correctAvailability() }
        correction.plan(after: due - now, of: self) { supervisor in
            // Of the same message for two subscriptions, the second one needs no correction.
            if case .connected = supervisor.phase, supervisor.isAvailabilityWrong { supervisor.correctAvailability() }
        }
    }

    private func correctAvailability() {
        corrections.happened(at: loop.monotonicTime)
        publish(.availability("online", topic: availability))
    }
}
