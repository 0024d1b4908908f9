import Synchronization

/// What the user holds of a subscription. It knows the way up, and not what listens at the end.
///
/// So the user may keep it after the end: the observer and its closures are let go of all the same, as in RxSwift. An
/// object whose closure mentions it and that holds its own subscription would otherwise never go.
final class Subscription: SubscriptionNode {
    // Taken out by whoever sets `onDisposedCalled`.
    private var onDisposed: (@Sendable () -> Void)?
    private let onDisposedCalled = Atomic<Bool>(false)

    init(onDisposed: (@Sendable () -> Void)? = nil) { self.onDisposed = onDisposed }

    override func dispose() {
        if markDisposed() { callOnDisposed() }
    }

    /// Says `onDisposed`, once.
    func callOnDisposed() {
        guard !onDisposedCalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onDisposed.take()?()
    }
}
