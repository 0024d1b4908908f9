import Synchronization

/// One thing to undo. Internal links use this class and not `any Disposable`: a link is one word.
class Teardown {
    /// Where it stands in a `CompositeTeardown`; guarded by the lock of that group.
    final var position: Int32 = -1

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }

    /// Undoes it; only the first call does anything.
    func dispose() {}

    /// Undoes it because the subscriber at the end of the chain has heard the end. A node with something left to do
    /// after it told the end (`do`) waits, and undoes itself then.
    func downstreamEnded() { dispose() }
}

/// A teardown with one further teardown behind it, given at any time before or after `dispose`.
///
/// `upstream` is written once before `assigned` is set, and let go of by whoever sets `released`.
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

    /// Whether events may pass at once: the node is live and nobody holds it back. One look for the hot path.
    @inline(__always)
    final var deliversAtOnce: Bool {
        flags.load(ordering: .acquiring)
            & (SubscriptionNode.disposed | SubscriptionNode.stopped | SubscriptionNode.held) == 0
    }

    /// Marks that events are to wait, or that they need not wait any more. What they wait in is the caller's business.
    final func setHeld(_ isHeld: Bool) {
        if isHeld {
            flags.bitwiseOr(SubscriptionNode.held, ordering: .acquiringAndReleasing)
        } else {
            flags.bitwiseAnd(~SubscriptionNode.held, ordering: .acquiringAndReleasing)
        }
    }

    /// Whether `dispose` was called.
    final var isDisposed: Bool { flags.load(ordering: .acquiring) & SubscriptionNode.disposed != 0 }

    /// Names what is to be undone with this node. To be called once.
    func attach(_ teardown: Teardown) {
        upstream = teardown
        let before = flags.bitwiseOr(SubscriptionNode.assigned, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed != 0 { release() }
    }

    /// Sets the flag; true for the first caller, who then has to undo the rest.
    final func markDisposed() -> Bool {
        let before = flags.bitwiseOr(SubscriptionNode.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed != 0 { return false }
        if before & SubscriptionNode.assigned != 0 { release() }
        return true
    }

    /// Stops events for good without disposalScheduler anything yet; true for the first caller on a live node.
    final func markStopped() -> Bool {
        let before = flags.bitwiseOr(SubscriptionNode.stopped, ordering: .acquiringAndReleasing).oldValue
        return before & (SubscriptionNode.disposed | SubscriptionNode.stopped) == 0
    }

    /// As `dispose`, for the end of a chain that has heard the end of the stream.
    final func disposeAfterEnd() {
        let before = flags.bitwiseOr(SubscriptionNode.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & SubscriptionNode.disposed == 0, before & SubscriptionNode.assigned != 0 {
            takeUpstream()?.downstreamEnded()
        }
    }

    private func release() { takeUpstream()?.dispose() }

    /// Lets go of what was attached without disposalScheduler it: it is gone by itself.
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

/// A user's disposable as a link.
final class DisposableTeardown: Teardown {
    private let disposable: any Disposable
    init(_ disposable: any Disposable) { self.disposable = disposable }
    override func dispose() { disposable.dispose() }
}

extension SubscriptionNode {
    /// Attaches what a user's closure or a scheduler gave; a link of ours goes in without a wrapper.
    final func attach(_ disposable: any Disposable) {
        if let handle = disposable as? SubscriptionHandle {
            attach(handle.node)
        } else {
            attach(DisposableTeardown(disposable))
        }
    }
}
