/// One thing to undo.
///
/// Internal links use this class, not `any Disposable`, because a reference is one word.
class Teardown {
    /// The index in a `CompositeTeardown`; guarded by its lock.
    final var position: Int32 = -1

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }

    /// Undoes it; only the first call has an effect.
    func dispose() {}

    /// Undoes it after the subscriber has received the end.
    ///
    /// A node that still has work after it forwarded the end (`do`) ignores this and disposes of itself later.
    func downstreamEnded() { dispose() }
}

/// A user's disposable as a teardown.
final class DisposableTeardown: Teardown {
    private let disposable: any Disposable
    init(_ disposable: any Disposable) { self.disposable = disposable }
    override func dispose() { disposable.dispose() }
}

/// Teardowns that are added and removed, and disposed of together.
///
/// Adding and removing take constant time.
final class CompositeTeardown: Teardown {
    // `members` is nil after dispose. Guarded by `lock`, as is the `position` of each member.
    private let lock = Lock()
    private var members: [Teardown]? = []

    func add(_ member: Teardown) {
        let added = lock.withLock { () -> Bool in
            guard let count = members?.count else { return false }
            member.position = Int32(count)
            members?.append(member)
            return true
        }
        if !added { member.dispose() }
    }

    /// Removes the member without disposing of it.
    func remove(_ member: Teardown) {
        lock.withLock {
            let index = Int(member.position)
            guard index >= 0, let last = members?.last else { return }
            members?[index] = last
            last.position = Int32(index)
            member.position = -1
            members?.removeLast()
        }
    }

    override func dispose() {
        let ended = lock.withLock { () -> [Teardown] in
            let all = members ?? []
            members = nil
            return all
        }
        for member in ended { member.dispose() }
    }
}
