public import Dispatch

extension ImmediateSchedulerType {
    /// Does an action that may ask to be done again with a new state; each round is scheduled by itself.
    ///
    /// A round that asks several times has that many rounds after it. Disposing of the result ends them all.
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: @Sendable (State) -> Void) -> Void
    ) -> any Disposable {
        let rounds = PendingRounds()
        @Sendable func round(_ state: State) {
            rounds.schedule { work in
                schedule(state) { state in
                    if work.beginIfPending() { action(state, round) }
                    return Disposables.create()
                }
            }
        }
        round(state)
        return rounds
    }
}

extension SchedulerType {
    /// Does an action after the interval that may ask to be done again with a new state, at once or later.
    ///
    /// A round that asks several times has that many rounds after it. Disposing of the result ends them all.
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, dueTime: RxTimeInterval,
        action: @escaping @Sendable (_ state: State, _ scheduler: AnyRecursiveScheduler<State>) -> Void
    ) -> any Disposable {
        let recursion = AnyRecursiveScheduler(self, action)
        recursion.schedule(state, dueTime: dueTime)
        return recursion.rounds
    }
}

/// What a recursive action asks to be done again.
public final class AnyRecursiveScheduler<State>: Sendable {
    let rounds = PendingRounds()
    private let scheduler: any SchedulerType
    private let action: @Sendable (State, AnyRecursiveScheduler<State>) -> Void

    init(_ scheduler: any SchedulerType, _ action: @escaping @Sendable (State, AnyRecursiveScheduler<State>) -> Void) {
        self.scheduler = scheduler
        self.action = action
    }

    /// Does the action again with the state after the interval.
    public func schedule(_ state: State, dueTime: RxTimeInterval) {
        rounds.schedule { work in
            scheduler.scheduleRelative(state, dueTime: dueTime) { state in
                if work.beginIfPending() { self.action(state, self) }
                return Disposables.create()
            }
        }
    }

    /// Does the action again with the state as soon as the scheduler can.
    public func schedule(_ state: State) {
        rounds.schedule { work in
            scheduler.schedule(state) { state in
                if work.beginIfPending() { self.action(state, self) }
                return Disposables.create()
            }
        }
    }
}

/// The rounds of one recursive action that are still to come. Guard: that of `CompositeTeardown` and `SubscriptionNode`.
final class PendingRounds: Disposable, @unchecked Sendable {
    private let pending = CompositeTeardown()

    /// Schedules one more round, unless all were given up.
    func schedule(_ start: (Round) -> any Disposable) {
        let node = SubscriptionNode()
        pending.add(node)
        if !node.isDisposed { node.attach(start(Round(pending, node))) }
    }

    func dispose() { pending.dispose() }
}

/// One round. Guard: that of `CompositeTeardown` and `SubscriptionNode`.
struct Round: @unchecked Sendable {
    private let rounds: CompositeTeardown
    // The group keeps it until the round begins. It keeps the scheduled work, and the work keeps this.
    private weak let node: SubscriptionNode?

    init(_ rounds: CompositeTeardown, _ node: SubscriptionNode) {
        self.rounds = rounds
        self.node = node
    }

    /// Takes the round out of those that are still to come; false when they were given up.
    func beginIfPending() -> Bool {
        guard let node else { return false }
        rounds.remove(node)
        return !node.isDisposed
    }
}
