import DBus

extension LoopbackPeer {
    /// Polls the socket every millisecond, because the kernel's clock is not the bus's clock.
    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask {
        let cancellation = EndFlag()
        poll(cancellation) { withExtendedLifetime(socket, ready) }
        return BusTask { cancellation.end() }
    }

    private func poll(_ cancellation: EndFlag, _ ready: @escaping @Sendable () -> Void) {
        _ = context.schedule(after: .milliseconds(1)) { [weak self] in
            guard !cancellation.isEnded else { return }
            ready()
            if !cancellation.isEnded { self?.poll(cancellation, ready) }
        }
    }
}
