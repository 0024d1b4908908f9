import Synchronization

/// A part of a running subscription, with one upstream, which may be attached after `dispose`.
///
/// `upstream` is written once before `assigned` is set. The thread that sets `released` takes it out.
class SubscriptionNode: Teardown {
    private static let assigned: UInt8 = 1
    private static let disposed: UInt8 = 2
    private static let stopped: UInt8 = 4
    private static let held: UInt8 = 8
    private static let released: UInt8 = 16

    private let flags = Atomic<UInt8>(0)
    private final var upstream: Teardown?

    /// Whether events may still pass.
    final var isLive: Bool {
        flags.load(ordering: .acquiring) & (SubscriptionNode.disposed | SubscriptionNode.stopped) == 0
    }

    /// Whether the node is live and not held: one atomic load for the hot path.
    @inline(__always)
    final var deliversAtOnce: Bool {
        flags.load(ordering: .acquiring)
            & (SubscriptionNode.disposed | SubscriptionNode.stopped | SubscriptionNode.held) == 0
    }

    /// Marks whether events have to wait. The caller stores the events that wait.
    final func setHeld(_ isHeld: Bool) {
        if isHeld {
            flags.bitwiseOr(SubscriptionNode.held, ordering: .acquiringAndReleasing)
        } else {
            flags.bitwiseAnd(~SubscriptionNode.held, ordering: .acquiringAndReleasing)
        }
    }

    /// Whether `dispose` was called.
    final var isDisposed: Bool { flags.load(ordering: .acquiring) & SubscriptionNode.disposed != 0 }

    /// Sets the teardown that is disposed of with this node. Call it once.
    func attach(_ teardown: Teardown) {
        upstream = teardown
        let before = flags.bitwiseOr(SubscriptionNode.assigned, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed != 0 { release() }
    }

    /// Attaches a disposable from a user's closure or a scheduler; our own subscriptions need no wrapper.
    final func attach(_ disposable: any Disposable) {
        if let handle = disposable as? SubscriptionHandle {
            attach(handle.node)
        } else {
            attach(DisposableTeardown(disposable))
        }
    }

    /// Sets the flag and disposes of the upstream; returns true for the first caller.
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

    /// As `dispose`, after the subscriber has received the end of the stream.
    final func disposeAfterEnd() {
        let before = flags.bitwiseOr(SubscriptionNode.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed == 0, before & SubscriptionNode.assigned != 0 {
            takeUpstream()?.downstreamEnded()
        }
    }

    private func release() { takeUpstream()?.dispose() }

    /// Releases the upstream without disposing of it, because it is gone already.
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
