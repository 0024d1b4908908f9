/// Teardowns that come and go, and end together. Adding and removing take constant time.
final class Group: Teardown {
    // `links` is nil after dispose. Guarded by `lock`, as is `position` of what is in it.
    private let lock = Lock()
    private var links: [Teardown]? = []

    func add(_ link: Teardown) {
        let added = lock.withLock { () -> Bool in
            guard let count = links?.count else { return false }
            link.position = Int32(count)
            links?.append(link)
            return true
        }
        if !added { link.dispose() }
    }

    /// Forgets the link without disposing of it.
    func remove(_ link: Teardown) {
        lock.withLock {
            let place = Int(link.position)
            guard place >= 0, let last = links?.last else { return }
            links?[place] = last
            last.position = Int32(place)
            link.position = -1
            links?.removeLast()
        }
    }

    override func dispose() {
        let ended = lock.withLock { () -> [Teardown] in
            let all = links ?? []
            links = nil
            return all
        }
        for link in ended { link.dispose() }
    }
}
