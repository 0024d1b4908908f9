import Synchronization

/// A count of the live objects of this module, for tests that look for leaks.
public enum Resources {
    private static let count = Atomic<Int32>(0)

    /// How many observables, subscriptions and disposables are alive in this process. A release build counts
    /// only what `incrementTotal` counts.
    public static var total: Int32 { count.load(ordering: .sequentiallyConsistent) }

    /// Counts an object of a user's own; gives the new total. To be called where the object is made.
    @discardableResult
    public static func incrementTotal() -> Int32 { count.add(1, ordering: .sequentiallyConsistent).newValue }

    /// Counts an object of a user's own no more; gives the new total. To be called where the object goes.
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
