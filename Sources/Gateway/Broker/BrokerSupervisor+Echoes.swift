import Rx

// The messages that the broker must deliver back to the gateway.
extension BrokerSupervisor {
    /// Stores that the broker has confirmed a message without a place in the store.
    func confirmEcho(_ topic: String) {
        guard expectsEcho(topic) else { return }
        echoes.confirmed(topic, at: loop.monotonicTime)
        planEchoCheck()
    }

    private func planEchoCheck() {
        guard !isEchoCheckPlanned, let due = echoes.due else { return }
        isEchoCheckPlanned = true
        let bound = loop.bound(WeakReference(self))
        echoTimer.disposable = loop.schedule(after: due - loop.monotonicTime) {
            guard let supervisor = bound.value.object else { return }
            supervisor.isEchoCheckPlanned = false
            let missing = supervisor.echoes.takeMissing(at: supervisor.loop.monotonicTime)
            for topic in missing { supervisor.report?(.notDelivered(topic: topic)) }
            supervisor.planEchoCheck()
        }
    }

    /// A new connection checks again.
    func resetEchoes() {
        echoes = EchoCheck()
        isEchoCheckPlanned = false
        echoTimer.disposable = Disposables.create()
    }
}
