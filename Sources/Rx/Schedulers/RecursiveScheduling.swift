extension ImmediateSchedulerType {
    /// Does an action that may ask to be done again with a new state; each round is scheduled by itself.
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: @Sendable (State) -> Void) -> Void
    ) -> any Disposable {
        let recursion = Recursion<State>(action)
        recursion.schedule(state, on: self)
        return recursion.slot
    }
}

/// The rounds of one recursive action; only the latest one is pending. Guard: it has no state but its slot.
private final class Recursion<State>: Sendable {
    let slot = SerialDisposable()
    private let action: @Sendable (State, @Sendable (State) -> Void) -> Void

    init(_ action: @escaping @Sendable (State, @Sendable (State) -> Void) -> Void) { self.action = action }

    func schedule(_ state: State, on scheduler: any ImmediateSchedulerType) {
        if slot.isDisposed { return }
        let round = SingleAssignmentDisposable()
        slot.disposable = round
        round.setDisposable(
            scheduler.schedule(state) { state in
                self.action(state) { self.schedule($0, on: scheduler) }
                return Disposables.create()
            })
    }
}
