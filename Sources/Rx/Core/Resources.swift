import Synchronization

/// A count of the live objects of this module, for tests that search for leaks.
public enum Resources {
    private static let count = Atomic<Int32>(0)

    /// The number of live observables, subscriptions and disposables in this process.
    ///
    /// A release build counts only calls of `incrementTotal` and `decrementTotal`.
    public static var total: Int32 { count.load(ordering: .sequentiallyConsistent) }

    /// Increments the count and returns it. Call this method when an object of your own is created.
    @discardableResult
    public static func incrementTotal() -> Int32 { count.add(1, ordering: .sequentiallyConsistent).newValue }

    /// Decrements the count and returns it. Call this method when an object of your own is destroyed.
    @discardableResult
    public static func decrementTotal() -> Int32 { count.subtract(1, ordering: .sequentiallyConsistent).newValue }

    @inline(__always)
    static func objectCreated() {
        #if DEBUG
            count.add(1, ordering: .relaxed)
        #endif
    }

    @inline(__always)
    static func objectDestroyed() {
        #if DEBUG
            count.subtract(1, ordering: .relaxed)
        #endif
    }
}
