import Synchronization

/// The state of one operator in one subscription. Its upstream may be attached after `dispose`.
///
/// `upstream` is written once, before the flag `assigned` is set. Only the thread that sets `released` clears
/// `upstream`.
@usableFromInline
class SubscriptionNode: Teardown {
    private static let assigned: UInt8 = 1
    private static let disposed: UInt8 = 2
    private static let stopped: UInt8 = 4
    private static let held: UInt8 = 8
    private static let released: UInt8 = 16

    private let flags = Atomic<UInt8>(0)
    private final var upstream: Teardown?

    /// Whether events may still pass: the node was neither disposed of nor stopped.
    @inline(__always)
    final var isLive: Bool {
        flags.load(ordering: .acquiring) & (SubscriptionNode.disposed | SubscriptionNode.stopped) == 0
    }

    /// Whether the node is live and not held. Checked for each event, so it is one atomic load.
    @inline(__always)
    final var deliversAtOnce: Bool {
        flags.load(ordering: .acquiring)
            & (SubscriptionNode.disposed | SubscriptionNode.stopped | SubscriptionNode.held) == 0
    }

    /// Sets whether the node holds events back. The caller stores the events meanwhile.
    final func setHeld(_ isHeld: Bool) {
        if isHeld {
            flags.bitwiseOr(SubscriptionNode.held, ordering: .acquiringAndReleasing)
        } else {
            flags.bitwiseAnd(~SubscriptionNode.held, ordering: .acquiringAndReleasing)
        }
    }

    /// Whether `dispose` was called.
    final var isDisposed: Bool { flags.load(ordering: .acquiring) & SubscriptionNode.disposed != 0 }

    /// Sets the upstream, which is disposed of with this node. Call this method once.
    func attach(_ teardown: Teardown) {
        upstream = teardown
        let before = flags.bitwiseOr(SubscriptionNode.assigned, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed != 0 { release() }
    }

    /// Attaches a disposable. Only a disposable of a user or a scheduler needs a wrapper.
    final func attach(_ disposable: any Disposable) {
        if let handle = disposable as? SubscriptionHandle {
            attach(handle.node)
        } else {
            attach(DisposableTeardown(disposable))
        }
    }

    /// Sets the flag `disposed` and disposes of the upstream; returns true for the first caller.
    final func markDisposed() -> Bool {
        let before = flags.bitwiseOr(SubscriptionNode.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed != 0 { return false }
        if before & SubscriptionNode.assigned != 0 { release() }
        return true
    }

    /// Stops events without disposing of anything; returns true for the first caller on a live node.
    final func markStopped() -> Bool {
        let before = flags.bitwiseOr(SubscriptionNode.stopped, ordering: .acquiringAndReleasing).oldValue
        return before & (SubscriptionNode.disposed | SubscriptionNode.stopped) == 0
    }

    /// Disposes of the node after the subscriber has received the end of the stream.
    ///
    /// The upstream receives `downstreamEnded` instead of `dispose`.
    final func disposeAfterEnd() {
        let before = flags.bitwiseOr(SubscriptionNode.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed == 0, before & SubscriptionNode.assigned != 0 {
            takeUpstream()?.downstreamEnded()
        }
    }

    private func release() { takeUpstream()?.dispose() }

    /// Releases the upstream without disposing of it, because the upstream has ended already.
    func detach() {
        if flags.load(ordering: .acquiring) & SubscriptionNode.assigned != 0 { _ = takeUpstream() }
    }

    private func takeUpstream() -> Teardown? {
        let before = flags.bitwiseOr(SubscriptionNode.released, ordering: .acquiringAndReleasing).oldValue
        guard before & SubscriptionNode.released == 0 else { return nil }
        defer { upstream = nil }
        return upstream
    }

    override func dispose() { _ = markDisposed() }
}
