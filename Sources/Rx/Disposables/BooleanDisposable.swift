import Synchronization

/// A disposable that only records whether it was disposed of.
public final class BooleanDisposable: Cancelable {
    private let flag: Atomic<Bool>

    /// Creates a disposable that is not disposed of.
    public convenience init() { self.init(isDisposed: false) }

    /// Creates a disposable with the given value of `isDisposed`.
    public init(isDisposed: Bool) {
        flag = Atomic(isDisposed)
        Resources.objectCreated()
    }

    deinit { Resources.objectDestroyed() }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { flag.load(ordering: .acquiring) }

    /// Sets `isDisposed`.
    public func dispose() { _ = markDisposed() }

    /// Sets `isDisposed`; returns true for the first caller.
    func markDisposed() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
}
