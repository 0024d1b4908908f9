import Synchronization

/// A disposable that only remembers whether it was disposed of.
public final class BooleanDisposable: Cancelable {
    private let flag: Atomic<Bool>

    /// A new one, not disposed of.
    public convenience init() { self.init(isDisposed: false) }

    /// A new one that is disposed of already, or not.
    public init(isDisposed: Bool) {
        flag = Atomic(isDisposed)
        Resources.objectCreated()
    }

    deinit { Resources.objectDestroyed() }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { flag.load(ordering: .acquiring) }

    /// Remembers it.
    public func dispose() { _ = markDisposed() }

    /// True for the first caller.
    func markDisposed() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
}

/// Runs a closure once. The closure is let go of when it was run.
final class AnonymousDisposable: Cancelable {
    private let action: Guarded<(@Sendable () -> Void)?>
    private let flag = Atomic<Bool>(false)

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = Guarded(action)
        Resources.objectCreated()
    }

    deinit { Resources.objectDestroyed() }

    var isDisposed: Bool { flag.load(ordering: .acquiring) }

    func dispose() {
        guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let run = action.withLock { action in
            defer { action = nil }
            return action
        }
        run?()
    }
}
