/// Starts a task for a subscription; to dispose cancels the task. A detached task inherits nothing from the caller.
func runTask(
    _ detached: Bool, _ priority: TaskPriority?, _ operation: @escaping @concurrent @Sendable () async -> Void
) -> any Disposable {
    let task =
        detached
        ? Task.detached(priority: priority, operation: operation) : Task(priority: priority, operation: operation)
    return Disposables.create { task.cancel() }
}
