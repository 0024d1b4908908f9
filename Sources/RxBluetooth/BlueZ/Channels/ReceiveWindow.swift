import Rx

/// The number of packets that wait for one subscriber of a channel.
///
/// The bus context adds packets, and the subscriber's thread removes them.
final class ReceiveWindow: Sendable {
    private struct State {
        var waiting = 0
        /// Continues to receive, if the channel has stopped because the window is full.
        var resume: (@Sendable () -> Void)?
    }

    private let capacity: Int
    private let state = Guarded(State())

    init(_ capacity: Int) { self.capacity = max(1, capacity) }

    /// The number of packets that the window takes.
    var room: Int { state.withLock { capacity - $0.waiting } }

    func add(_ count: Int) { state.withLock { $0.waiting += count } }

    /// Runs `resume` when at most half of the window is used, unless it is so now. Returns whether it is.
    func hasRoom(orRun resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.waiting < capacity { return true }
            state.resume = resume
            return false
        }
    }

    /// Records that the subscriber has processed a packet.
    func consumed() {
        let resume: (@Sendable () -> Void)? = state.withLock { state in
            state.waiting -= 1
            guard state.waiting <= capacity / 2 else { return nil }
            defer { state.resume = nil }
            return state.resume
        }
        resume?()
    }
}
