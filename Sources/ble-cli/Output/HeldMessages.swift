import Rx

/// The messages that wait while a live view draws on the terminal, because they would disturb it.
final class HeldMessages: Sendable {
    private struct State {
        var isHolding = false
        var lines: [String] = []
        /// The number of lines that were dropped, because too many waited.
        var dropped = 0
    }

    /// The number of lines that wait at most; older ones are dropped.
    static let limit = 1000

    private let state = Guarded(State())

    /// Whether no line waits.
    var isEmpty: Bool { state.withLock(\.lines.isEmpty) }

    /// Keeps messages from now on.
    func begin() { state.withLock { $0.isHolding = true } }

    /// Keeps a line. Returns false if no live view has the terminal, so that the line is printed at once.
    func keep(_ line: String) -> Bool {
        state.withLock { state in
            guard state.isHolding else { return false }
            if state.lines.count == Self.limit {
                state.lines.removeFirst()
                state.dropped += 1
            }
            state.lines.append(line)
            return true
        }
    }

    /// Returns the lines that wait, with a line that counts dropped ones, and forgets them.
    func take() -> [String] {
        state.withLock { state in
            defer { (state.lines, state.dropped) = ([], 0) }
            guard state.dropped > 0 else { return state.lines }
            return ["ble-cli: \(state.dropped) earlier log lines are left out; 2>FILE keeps all."] + state.lines
        }
    }

    /// Ends the keeping. Returns the lines that wait.
    func end() -> [String] {
        state.withLock { $0.isHolding = false }
        return take()
    }
}
