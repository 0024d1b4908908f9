/// Something that can be given up: a subscription, a scheduled action, a resource.
///
/// `dispose()` may be called from any thread, and more than once; only the first call does anything.
@preconcurrency
public protocol Disposable: Sendable {
    /// Gives it up.
    func dispose()
}

/// A disposable that knows whether it was disposed of.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` was called.
    var isDisposed: Bool { get }
}
