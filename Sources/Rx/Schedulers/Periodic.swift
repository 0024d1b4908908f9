import Synchronization

/// A periodic action on a scheduler that only knows single ones.
///
/// Guard: `state` and the ticks owed are behind `gate`, `timer` is an atomic slot of its own.
final class Periodic<State>: @unchecked Sendable {
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State
    private let gate = Gate()
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
        gate.pass(self) { periodic in
            if !periodic.timer.isDisposed { periodic.state = periodic.action(periodic.state) }
        }
    }
}
