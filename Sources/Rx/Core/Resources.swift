import Synchronization

/// A count of the live objects of this module, for tests that look for leaks.
public enum Resources {
    private static let count = Atomic<Int>(0)

    /// How many observables, subscriptions and disposables are alive in this process. Always 0 in a release build.
    public static var total: Int { count.load(ordering: .sequentiallyConsistent) }

    @inline(__always)
    static func entered() {
        #if DEBUG
            count.add(1, ordering: .relaxed)
        #endif
    }

    @inline(__always)
    static func left() {
        #if DEBUG
            count.subtract(1, ordering: .relaxed)
        #endif
    }
}
