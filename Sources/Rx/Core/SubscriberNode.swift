import Synchronization

/// The user's end of a subscription. It refers to the upstream, but not to the observer.
///
/// So a user may store it after the end while the observer and its closures are released, as in RxSwift. Otherwise an
/// object that stores its own subscription and is captured by its closure would never be released.
final class SubscriberNode: SubscriptionNode {
    // Taken by the thread that sets `onDisposedCalled`.
    private var onDisposed: (@Sendable () -> Void)?
    private let onDisposedCalled = Atomic<Bool>(false)

    init(onDisposed: (@Sendable () -> Void)? = nil) { self.onDisposed = onDisposed }

    override func dispose() {
        if markDisposed() { callOnDisposed() }
    }

    /// Calls `onDisposed` once.
    func callOnDisposed() {
        guard !onDisposedCalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onDisposed.take()?()
    }
}

/// The disposable that `subscribe` returns. It is a struct, so it needs no allocation.
///
/// Guard: `dispose` of every node goes through the atomic flags of `SubscriptionNode`.
struct SubscriptionHandle: Cancelable, @unchecked Sendable {
    let node: SubscriptionNode
    init(_ node: SubscriptionNode) { self.node = node }
    var isDisposed: Bool { node.isDisposed }
    func dispose() { node.dispose() }
}
