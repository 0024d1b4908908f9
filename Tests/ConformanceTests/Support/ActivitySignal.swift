import Foundation

/// Wakes a waiting thread when a client receives a signal or a reply.
final class ActivitySignal: @unchecked Sendable {
    // Guard: `condition` is locked when `count` is accessed.
    private let condition = NSCondition()
    private var count = 0

    func signal() {
        condition.withLock {
            count += 1
            condition.broadcast()
        }
    }

    /// Blocks until a condition is true or the deadline has passed. Checks the condition after each signal.
    func wait(until deadline: Date, or isEnough: () -> Bool) {
        while true {
            let seen = condition.withLock { count }
            if isEnough() { return }
            let isOver = condition.withLock {
                while count == seen {
                    guard condition.wait(until: deadline) else { return true }
                }
                return false
            }
            if isOver { return }
        }
    }
}
