import FoundationEssentials
import Rx

/// A scheduler that runs immediate actions on the calling thread, and never runs delayed actions.
struct InlineScheduler: SchedulerType {
    let now = Date(timeIntervalSince1970: 0)

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { action(state) }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { Disposables.create() }
}
