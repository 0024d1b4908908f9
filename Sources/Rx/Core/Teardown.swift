import Synchronization

/// One thing to undo. Internal links use this class and not `any Disposable`: a link is one word.
class Teardown {
    /// Where it stands in a `Group`; guarded by the lock of that group.
    final var position: Int32 = -1

    init() { Resources.entered() }
    deinit { Resources.left() }

    /// Undoes it; only the first call does anything.
    func dispose() {}

    /// Undoes it because the subscriber at the end of the chain has heard the end. A stage with something left to do
    /// after it told the end (`do`) waits, and undoes itself then.
    func ended() { dispose() }
}

/// A teardown with one further teardown behind it, given at any time before or after `dispose`.
///
/// `upstream` is written once before `assigned` is set, and let go of by whoever sets `released`.
class Stage: Teardown {
    private static let assigned: UInt8 = 1
    private static let disposed: UInt8 = 2
    private static let stopped: UInt8 = 4
    private static let held: UInt8 = 8
    private static let released: UInt8 = 16

    private let flags = Atomic<UInt8>(0)
    private final var upstream: Teardown?

    /// Whether events may still pass.
    final var isLive: Bool { flags.load(ordering: .acquiring) & (Stage.disposed | Stage.stopped) == 0 }

    /// Whether events may pass at once: the stage is live and nobody holds it back. One look for the hot path.
    @inline(__always)
    final var passes: Bool {
        flags.load(ordering: .acquiring) & (Stage.disposed | Stage.stopped | Stage.held) == 0
    }

    /// Marks that events are to wait, or that they need not wait any more. What they wait in is the caller's business.
    final func hold(_ holds: Bool) {
        if holds {
            flags.bitwiseOr(Stage.held, ordering: .acquiringAndReleasing)
        } else {
            flags.bitwiseAnd(~Stage.held, ordering: .acquiringAndReleasing)
        }
    }

    /// Whether `dispose` was called.
    final var isDisposed: Bool { flags.load(ordering: .acquiring) & Stage.disposed != 0 }

    /// Names what is to be undone with this stage. To be called once.
    func attach(_ teardown: Teardown) {
        upstream = teardown
        let before = flags.bitwiseOr(Stage.assigned, ordering: .acquiringAndReleasing).oldValue
        if before & Stage.disposed != 0 { release() }
    }

    /// Sets the flag; true for the first caller, who then has to undo the rest.
    final func markDisposed() -> Bool {
        let before = flags.bitwiseOr(Stage.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & Stage.disposed != 0 { return false }
        if before & Stage.assigned != 0 { release() }
        return true
    }

    /// Stops events for good without undoing anything yet; true for the first caller on a live stage.
    final func markStopped() -> Bool {
        let before = flags.bitwiseOr(Stage.stopped, ordering: .acquiringAndReleasing).oldValue
        return before & (Stage.disposed | Stage.stopped) == 0
    }

    /// As `dispose`, for the end of a chain that has heard the end of the stream.
    final func disposeAfterEnd() {
        let before = flags.bitwiseOr(Stage.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & Stage.disposed == 0, before & Stage.assigned != 0 { letGoOfUpstream()?.ended() }
    }

    private func release() { letGoOfUpstream()?.dispose() }

    /// Lets go of what was attached without undoing it: it is gone by itself.
    func detach() {
        if flags.load(ordering: .acquiring) & Stage.assigned != 0 { _ = letGoOfUpstream() }
    }

    private func letGoOfUpstream() -> Teardown? {
        let before = flags.bitwiseOr(Stage.released, ordering: .acquiringAndReleasing).oldValue
        guard before & Stage.released == 0 else { return nil }
        defer { upstream = nil }
        return upstream
    }

    override func dispose() { _ = markDisposed() }
}

/// A user's disposable as a link.
final class Foreign: Teardown {
    private let disposable: any Disposable
    init(_ disposable: any Disposable) { self.disposable = disposable }
    override func dispose() { disposable.dispose() }
}

extension Stage {
    /// Attaches what a user's closure or a scheduler gave; a link of ours goes in without a wrapper.
    final func attach(_ disposable: any Disposable) {
        if let handle = disposable as? Handle { attach(handle.stage) } else { attach(Foreign(disposable)) }
    }
}
