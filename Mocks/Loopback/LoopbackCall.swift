import DBus
import Rx
import RxBluetoothSupport

/// A call that ends once: by its reply, its deadline, the end of the bus, or cancellation.
final class LoopbackCall: Sendable {
    private struct State {
        var reply: (@Sendable (Result<Message, DBusError>) -> Void)?
        var cleanUps: [@Sendable () -> Void] = []
    }

    private let state: Guarded<State>

    init(_ reply: @escaping @Sendable (Result<Message, DBusError>) -> Void) { state = Guarded(State(reply: reply)) }

    var isFinished: Bool { state.withLock { $0.reply == nil } }

    /// Runs work when the call ends, or at once if it has ended.
    func onClosed(_ work: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock {
            guard $0.reply != nil else { return true }
            $0.cleanUps.append(work)
            return false
        }
        if isFinished { work() }
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

/// Objects that a peer serves.
final class LoopbackExport: Sendable {
    let includingChildren: Bool
    let handler: @Sendable (IncomingCall) -> Void
    let ended = OneShotFlag()

    init(includingChildren: Bool, handler: @escaping @Sendable (IncomingCall) -> Void) {
        self.includingChildren = includingChildren
        self.handler = handler
    }
}

/// A handler for the end of a peer's connection.
final class PeerDisconnectHandler: Sendable {
    let ended = OneShotFlag()
    private let handler: @Sendable (DBusError) -> Void

    init(_ handler: @escaping @Sendable (DBusError) -> Void) { self.handler = handler }

    func notify(_ error: DBusError) {
        if !ended.isRaised { handler(error) }
    }
}
