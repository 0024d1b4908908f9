import Glibc

/// A socket of which a context hears.
final class WatchedSocket: @unchecked Sendable {
    // Guard: `ready` is changed in the context only.
    private let socket: SharedSocket
    let events: Int16
    private(set) var ready: EventLoop.Work

    init(_ socket: SharedSocket, _ event: SharedSocket.Event, _ ready: @escaping EventLoop.Work) {
        self.socket = socket
        events =
            switch event {
            case .readable: Int16(POLLIN)
            case .writable: Int16(POLLOUT)
            }
        self.ready = ready
    }

    var number: Int32 { socket.socket.number }

    func fallSilent() { ready = {} }
}

/// Hearing of sockets.
extension EventLoop {
    /// One watch a socket at a time; a second one takes the place of the first.
    final func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping Work
    ) -> BusTask {
        let watched = WatchedSocket(socket, event, ready)
        let isCancelled = Guarded(false)
        enter { if !isCancelled.withLock({ $0 }) { self.start(watched) } }
        return BusTask {
            isCancelled.withLock { $0 = true }
            self.enter {
                self.stop(watched)
                watched.fallSilent()
            }
        }
    }
}
