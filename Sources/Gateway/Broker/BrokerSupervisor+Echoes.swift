// The messages that the broker must deliver back to the gateway.
extension BrokerSupervisor {
    /// Stores that the broker has confirmed a message without a place in the store.
    func confirmEcho(_ topic: String) {
        guard expectsEcho(topic) else { return }
        echoes.confirmed(topic, at: loop.monotonicTime)
        planEchoCheck()
    }

    private func planEchoCheck() {
        guard !echoCheck.isPlanned, let due = echoes.due else { return }
        echoCheck.plan(after: due - loop.monotonicTime, of: self) { supervisor in
            let missing = supervisor.echoes.takeMissing(at: supervisor.loop.monotonicTime)
            for topic in missing { supervisor.report?(.notDelivered(topic: topic)) }
            supervisor.planEchoCheck()
        }
    }

    /// A new connection checks again.
    func resetEchoes() {
        echoes = EchoCheck()
        echoCheck.cancel()
    }
}
