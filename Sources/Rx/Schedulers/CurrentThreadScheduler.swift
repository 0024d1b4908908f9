/// Does work on the calling thread, after the work that runs there now.
///
/// Work scheduled from inside a subscription waits until that subscription was set up, so several cold sources that are
/// subscribed together take turns.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    /// The one instance.
    public static let instance = CurrentThreadScheduler()

    /// Whether the calling thread runs no such work yet.
    public static var isScheduleRequired: Bool { !Trampoline.isActive }

    private init() {}

    /// Does the action now and then all that it scheduled here, or, when called from such work, after it.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if Trampoline.enter() {
            let disposable = action(state)
            Trampoline.drain()
            return disposable
        }
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        _ = Trampoline.enqueue(item)
        return item
    }
}

/// Work in a queue that can be taken back before it runs, or ended while it does.
final class ScheduledAction: Cancelable, DisposableContainer {
    private let action: @Sendable () -> any Disposable
    private let slot = SingleAssignmentDisposable()

    init(_ action: @escaping @Sendable () -> any Disposable) { self.action = action }

    var isDisposed: Bool { slot.isDisposed }
    func takeContents() -> DisposableContents { .one(slot) }

    func run() {
        if !slot.isDisposed { slot.setDisposable(action()) }
    }
}
