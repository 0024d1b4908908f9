import Dispatch

/// Does work on the main queue, at once when called there.
///
/// It keeps no order between work that is done at once and work that waits for the main queue. That makes it the better
/// one for `subscribe(on:)`; for `observe(on:)`, which needs the order, take `MainScheduler`.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: that of the superclass.

    /// The one instance.
    public static let instance = ConcurrentMainScheduler()

    private init() { super.init(on: .main, leeway: .nanoseconds(0)) }

    /// Does the action on the main queue, now when the caller is there.
    @preconcurrency
    public override func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainQueue.isCurrent ? action(state) : super.schedule(state, action: action)
    }
}
