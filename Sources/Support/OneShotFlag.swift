import Synchronization

/// A flag that can be raised once, on any thread.
package final class OneShotFlag: Sendable {
    private let raised = Atomic(false)

    package init() {}

    package var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Raises the flag. Returns true for the first call only.
    @discardableResult
    package func raise() -> Bool { !raised.exchange(true, ordering: .acquiringAndReleasing) }
}
