import DBus

extension LoopbackPeer {
    /// Polls the socket in each millisecond of the bus's clock.
    ///
    /// The kernel could wait for the socket only in real time, but the bus's clock can be virtual.
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
