/// The internal base class of what disposing runs, such as a sink, a timer or a user's disposable.
///
/// Internal code stores this class instead of `any Disposable`, because a class reference is one word.
@usableFromInline
class Teardown {
    /// The index in the containing `CompositeTeardown`, guarded by the lock of that composite.
    final var position: Int32 = -1

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }

    /// Cancels the work or releases the resource. Only the first call has an effect.
    func dispose() {}

    /// Disposes of the teardown after the subscriber has received the end of the stream.
    ///
    /// A node that still has work after it forwarded the end, such as the sink of `do`, ignores this call and disposes
    /// of itself later.
    func downstreamEnded() { dispose() }
}

/// A teardown that disposes of a user's disposable.
final class DisposableTeardown: Teardown {
    private let disposable: any Disposable
    init(_ disposable: any Disposable) { self.disposable = disposable }
    override func dispose() { disposable.dispose() }
}

/// A collection of teardowns that are disposed of together.
///
/// Adding and removing a teardown take constant time.
final class CompositeTeardown: Teardown {
    // `lock` guards `members`, which is nil after `dispose`, and the `position` of each member.
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
