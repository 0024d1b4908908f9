import Rx

/// The lines that one client adds to the transcript, in order.
final class EventLog: Sendable {
    private struct State {
        var lines: [String] = []
        var read = 0
    }

    private let state = Guarded(State())
    private let activity: ActivitySignal

    init(_ activity: ActivitySignal) { self.activity = activity }

    /// Adds a line, and wakes waiting threads. Nil adds no line.
    func write(_ line: String?) {
        if let line { state.withLock { $0.lines.append(line) } }
        activity.signal()
    }

    /// Returns the number of pending lines that match a condition.
    func count(_ isWanted: (String) -> Bool) -> Int { pending.count(where: isWanted) }

    /// The lines that ``take()`` has not returned yet.
    var pending: [String] { state.withLock { Array($0.lines[$0.read...]) } }

    /// Returns the pending lines and removes them.
    func take() -> [String] {
        state.withLock { state in
            defer { state.read = state.lines.count }
            return Array(state.lines[state.read...])
        }
    }
}
