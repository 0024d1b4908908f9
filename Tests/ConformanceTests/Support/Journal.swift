import Rx
import Foundation

/// What one client saw, in order.
final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var read = 0
    }

    private let state = Guarded(State())
    private let bell: Bell

    init(_ bell: Bell) { self.bell = bell }

    /// Adds a line; nil where something happened that is not to be noted.
    func write(_ line: String?) {
        if let line { state.withLock { $0.lines.append(line) } }
        bell.ring()
    }

    /// How many lines not yet taken are wanted ones.
    func count(_ isWanted: (String) -> Bool) -> Int { pending.count(where: isWanted) }

    /// The lines that were not taken yet, which stay so.
    var pending: [String] { state.withLock { Array($0.lines[$0.read...]) } }

    /// The lines that were not taken yet, which are taken now.
    func take() -> [String] {
        state.withLock { state in
            defer { state.read = state.lines.count }
            return Array(state.lines[state.read...])
        }
    }
}

/// Rings whenever something was seen, and wakes whoever waits for something to be seen.
final class Bell: @unchecked Sendable {
    // Guard: `condition` is held wherever `rings` is touched.
    private let condition = NSCondition()
    private var rings = 0

    func ring() {
        condition.withLock {
            rings += 1
            condition.broadcast()
        }
    }

    /// Blocks until it is enough, which is asked anew after each ring, or the moment has come.
    func wait(until deadline: Date, or isEnough: () -> Bool) {
        while true {
            let heard = condition.withLock { rings }
            if isEnough() { return }
            let isOver = condition.withLock {
                while rings == heard {
                    guard condition.wait(until: deadline) else { return true }
                }
                return false
            }
            if isOver { return }
        }
    }
}
