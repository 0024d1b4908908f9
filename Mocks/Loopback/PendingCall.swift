import DBus
import Rx

/// A call that waits for its answer, its deadline, the end of the bus, or for being called off: whichever is first.
final class PendingCall: Sendable {
    private struct State {
        var reply: (@Sendable (Result<Message, DBusError>) -> Void)?
        var cleanUps: [@Sendable () -> Void] = []
    }

    private let state: Guarded<State>

    init(_ reply: @escaping @Sendable (Result<Message, DBusError>) -> Void) { state = Guarded(State(reply: reply)) }

    var isOver: Bool { state.withLock { $0.reply == nil } }

    /// Runs work when the call is over; at once where it is.
    func onClosed(_ work: @escaping @Sendable () -> Void) {
        let isOver = state.withLock {
            guard $0.reply != nil else { return true }
            $0.cleanUps.append(work)
            return false
        }
        if isOver { work() }
    }

    func finish(_ result: Result<Message, DBusError>) { take()?(result) }

    func drop() { _ = take() }

    private func take() -> (@Sendable (Result<Message, DBusError>) -> Void)? {
        let taken = state.withLock {
            let taken = $0
            $0 = State(reply: nil)
            return taken
        }
        for work in taken.cleanUps { work() }
        return taken.reply
    }
}

/// Objects that a party serves.
final class Export: Sendable {
    let includingChildren: Bool
    let handler: @Sendable (IncomingCall) -> Void
    let ended = Flag()

    init(includingChildren: Bool, handler: @escaping @Sendable (IncomingCall) -> Void) {
        self.includingChildren = includingChildren
        self.handler = handler
    }
}

/// Somebody who wants to know when a party's connection ends.
final class PeerDisconnectHandler: Sendable {
    let ended = Flag()
    private let handler: @Sendable (DBusError) -> Void

    init(_ handler: @escaping @Sendable (DBusError) -> Void) { self.handler = handler }

    func notify(_ error: DBusError) {
        if !ended.isRaised { handler(error) }
    }
}
