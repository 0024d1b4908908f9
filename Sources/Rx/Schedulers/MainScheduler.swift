import Dispatch
import Synchronization

/// Does work on the main queue: at once when called there with nothing waiting, else in order.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: `enqueued` is atomic.
    private let enqueued = Atomic<Int>(0)

    /// The one instance.
    public static let instance = MainScheduler()

    /// A scheduler of the main queue that never does work before `schedule` returns.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    /// A new scheduler of the main queue.
    public init() { super.init(serialQueue: .main) }

    /// Traps when the caller is not on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(
            MainQueue.isCurrent,
            errorMessage ?? "This work belongs on the main queue: use observe(on: MainScheduler.instance).")
    }

    /// Traps when the caller is not on the main thread's queue.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        precondition(MainQueue.isCurrent, errorMessage ?? "This work belongs on the main thread.")
    }

    /// Does the action on the main queue: now when the caller is there and nothing waits, else in its turn.
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

/// Tells whether the caller is on the main queue: the queue carries a mark.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
}
