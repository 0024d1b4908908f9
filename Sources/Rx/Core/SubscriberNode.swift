import Synchronization

/// The node behind the disposable of a subscription. It retains the upstream, but not the observer.
///
/// As in RxSwift, the observer and its closures are released when the subscription ends, even if the user stores the
/// disposable. This breaks a common retain cycle: an object stores the disposable, and a closure of the observer
/// captures the object.
final class SubscriberNode: SubscriptionNode {
    // Only the thread that sets `onDisposedCalled` reads and clears this field.
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
/// Guard for `@unchecked`: `dispose` of every node uses the atomic flags of `SubscriptionNode`.
struct SubscriptionHandle: Cancelable, @unchecked Sendable {
    let node: SubscriptionNode
    init(_ node: SubscriptionNode) { self.node = node }
    var isDisposed: Bool { node.isDisposed }
    func dispose() { node.dispose() }
}
