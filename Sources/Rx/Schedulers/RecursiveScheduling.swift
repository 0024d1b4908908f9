public import Dispatch

extension ImmediateSchedulerType {
    /// Runs an action that may request further runs of itself with a new state.
    ///
    /// Each run is scheduled separately. A run may request several runs. Dispose of the result to cancel all pending
    /// runs.
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: @Sendable (State) -> Void) -> Void
    ) -> any Disposable {
        let pendingRuns = PendingRuns()
        @Sendable func run(_ state: State) {
            pendingRuns.schedule { work in
                schedule(state) { state in
                    if work.beginIfPending() { action(state, run) }
                    return Disposables.create()
                }
            }
        }
        run(state)
        return pendingRuns
    }
}

extension SchedulerType {
    /// Runs an action after the interval. The action may request further runs of itself, at once or later.
    ///
    /// A run may request several runs. Dispose of the result to cancel all pending runs.
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, dueTime: RxTimeInterval,
        action: @escaping @Sendable (_ state: State, _ scheduler: AnyRecursiveScheduler<State>) -> Void
    ) -> any Disposable {
        let recursion = AnyRecursiveScheduler(self, action)
        recursion.schedule(state, dueTime: dueTime)
        return recursion.pendingRuns
    }
}

/// The scheduler by which a recursive action requests further runs of itself.
public final class AnyRecursiveScheduler<State>: Sendable {
    let pendingRuns = PendingRuns()
    private let scheduler: any SchedulerType
    private let action: @Sendable (State, AnyRecursiveScheduler<State>) -> Void

    init(_ scheduler: any SchedulerType, _ action: @escaping @Sendable (State, AnyRecursiveScheduler<State>) -> Void) {
        self.scheduler = scheduler
        self.action = action
    }

    /// Runs the action again with the state after the interval.
    public func schedule(_ state: State, dueTime: RxTimeInterval) {
        pendingRuns.schedule { work in
            scheduler.scheduleRelative(state, dueTime: dueTime) { state in
                if work.beginIfPending() { self.action(state, self) }
                return Disposables.create()
            }
        }
    }

    /// Runs the action again with the state as soon as possible.
    public func schedule(_ state: State) {
        pendingRuns.schedule { work in
            scheduler.schedule(state) { state in
                if work.beginIfPending() { self.action(state, self) }
                return Disposables.create()
            }
        }
    }
}

/// The pending runs of one recursive action.
///
/// Guard for `@unchecked`: `CompositeTeardown` and `SubscriptionNode` may be used from any thread.
final class PendingRuns: Disposable, @unchecked Sendable {
    private let pending = CompositeTeardown()

    /// Schedules one more run, unless `dispose` was called.
    func schedule(_ start: (PendingRun) -> any Disposable) {
        let node = SubscriptionNode()
        pending.add(node)
        if !node.isDisposed { node.attach(start(PendingRun(pending, node))) }
    }

    func dispose() { pending.dispose() }
}

/// One pending run of a recursive action.
///
/// Guard for `@unchecked`: `CompositeTeardown` and `SubscriptionNode` may be used from any thread.
struct PendingRun: @unchecked Sendable {
    private let pendingRuns: CompositeTeardown
    // The reference is weak: the collection retains the node, the node retains the scheduled work, and the work retains
    // this value.
    private weak let node: SubscriptionNode?

    init(_ pendingRuns: CompositeTeardown, _ node: SubscriptionNode) {
        self.pendingRuns = pendingRuns
        self.node = node
    }

    /// Removes the run from the pending runs; returns false if it was disposed of.
    func beginIfPending() -> Bool {
        guard let node else { return false }
        pendingRuns.remove(node)
        return !node.isDisposed
    }
}
