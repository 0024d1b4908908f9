import Synchronization

/// A task action on a scheduler that only knows single ones.
///
/// Guard: `state` and the ticks owed are behind `drain`, `timer` is an atomic slot of its own.
final class PeriodicTask<State>: @unchecked Sendable {
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State
    private let drain = SerialDrain()
    private var state: State
    private let timer = SerialDisposable()

    init(
        _ scheduler: any SchedulerType, state: State, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) {
        self.scheduler = scheduler
        self.state = state
        self.period = period
        self.action = action
    }

    func start(after dueTime: RxTimeInterval) -> any Disposable {
        arm(after: dueTime)
        return timer
    }

    private func arm(after dueTime: RxTimeInterval) {
        let slot = SingleAssignmentDisposable()
        timer.disposable = slot
        slot.setDisposable(scheduler.run(after: dueTime) { self.tick() })
    }

    private func tick() {
        arm(after: period)
        drain.perform(on: self) { task in
            if !task.timer.isDisposed { task.state = task.action(task.state) }
        }
    }
}
