import Synchronization

/// Something that can be disposed of: a subscription, a scheduled action, a resource.
///
/// `dispose()` may be called from any thread and more than once; only the first call has an effect.
@preconcurrency
public protocol Disposable: Sendable {
    /// Cancels the subscription or action, or releases the resource.
    func dispose()
}

/// A disposable that reports whether it was disposed of.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` was called.
    var isDisposed: Bool { get }
}

/// Factories of disposables.
public enum Disposables {
    /// Returns a disposable that does nothing.
    public static func create() -> any Disposable { NopDisposable.noOp }

    /// Returns a disposable that runs the closure once, on the thread that disposes of it.
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// Returns a disposable that disposes of both given disposables.
    public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
        CompositeDisposable(disposable1, disposable2)
    }

    /// Returns a disposable that disposes of all three given disposables.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
    ) -> any Cancelable {
        CompositeDisposable(disposable1, disposable2, disposable3)
    }

    /// Returns a disposable that disposes of all given disposables.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposables: any Disposable...
    ) -> any Cancelable {
        CompositeDisposable(disposables: [disposable1, disposable2, disposable3] + disposables)
    }

    /// Returns a disposable that disposes of all given disposables.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

/// A disposable that does nothing.
struct NopDisposable: Disposable {
    static let noOp = NopDisposable()
    func dispose() {}
}

/// A disposable that runs a closure once, then releases the closure.
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
