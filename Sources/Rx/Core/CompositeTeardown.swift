/// Teardowns that come and go, and end together. Adding and removing take constant time.
final class CompositeTeardown: Teardown {
    // `members` is nil after dispose. Guarded by `lock`, as is `position` of what is in it.
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

    /// Forgets the member without disposing of it.
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
