/// A disposable that disposes of its content on a scheduler.
public final class ScheduledDisposable: Cancelable {
    /// The scheduler on which the content is disposed of.
    public let scheduler: any ImmediateSchedulerType
    private let content: SingleAssignmentDisposable

    /// Creates a disposable that disposes of the content on the scheduler.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        content = SingleAssignmentDisposable()
        content.setDisposable(disposable)
        Resources.objectCreated()
    }

    deinit { Resources.objectDestroyed() }

    /// Whether the content was disposed of.
    public var isDisposed: Bool { content.isDisposed }

    /// Schedules the disposal of the content.
    public func dispose() { _ = scheduler.run { [content] in content.dispose() } }
}
