import Synchronization

/// A flag that is set once, on any thread: a call was answered or cancelled, or a subscription has ended.
///
/// Subclasses add what is released when the flag is set.
package class EndFlag: @unchecked Sendable {
    // Guard: the flag is atomic. Only the bus's context uses what subclasses add.
    private let ended = Atomic<Bool>(false)

    package init() {}

    package final var isEnded: Bool { ended.load(ordering: .acquiring) }

    /// Sets the flag. Returns true for the first call only.
    @discardableResult
    package final func end() -> Bool { !ended.exchange(true, ordering: .acquiringAndReleasing) }
}
