import Dispatch
import Synchronization

/// A scheduler that runs work on the main queue, in order.
///
/// Work that is scheduled from the main queue runs at once if no other work waits. Use this scheduler for
/// `observe(on:)`.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: `enqueued` is atomic.
    private let enqueued = Atomic<Int>(0)

    /// The shared instance.
    public static let instance = MainScheduler()

    /// A scheduler on the main queue that never runs work before `schedule` returns.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    /// Creates a scheduler on the main queue.
    public init() { super.init(serialQueue: .main) }

    /// Traps if the caller is not on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(
            MainQueue.isCurrent,
            errorMessage ?? "Not on the main queue; use observe(on: MainScheduler.instance).")
    }

    /// Traps if the caller is not on the main queue.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        precondition(
            MainQueue.isCurrent, errorMessage ?? "Not on the main thread; use observe(on: MainScheduler.instance).")
    }

    /// Runs the action on the main queue, at once if the caller is there and no other work waits.
    @preconcurrency
    public override func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let before = enqueued.add(1, ordering: .acquiringAndReleasing).oldValue
        if before == 0, MainQueue.isCurrent {
            let disposable = action(state)
            enqueued.subtract(1, ordering: .acquiringAndReleasing)
            return disposable
        }
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        queue.async {
            item.run()
            self.enqueued.subtract(1, ordering: .acquiringAndReleasing)
        }
        return item
    }
}

/// A scheduler on the main queue that runs work at once if the caller is on that queue.
///
/// Work that runs at once may overtake work that waits for the main queue. Use this scheduler for `subscribe(on:)`. For
/// `observe(on:)`, which needs the order, use `MainScheduler`.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: the class adds no mutable state to the superclass.

    /// The shared instance.
    public static let instance = ConcurrentMainScheduler()

    private init() { super.init(on: .main, leeway: .nanoseconds(0)) }

    /// Runs the action on the main queue, at once if the caller is there.
    @preconcurrency
    public override func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainQueue.isCurrent ? action(state) : super.schedule(state, action: action)
    }
}

/// A check whether the caller is on the main queue, by a queue-specific value.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
}
