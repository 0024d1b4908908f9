extension ObservableConvertibleType {
    /// The closure to which the asynchronous closure of `create` sends its elements.
    public typealias ElementObserver<Element> = @Sendable (Element) -> Void

    /// Creates a cold stream from an asynchronous closure, which runs in a task for each subscription.
    ///
    /// The stream completes when the closure returns, and fails with the error that it throws. Disposing of the
    /// subscription cancels the task; later elements are ignored. A detached task inherits nothing from the task that
    /// subscribes.
    @_disfavoredOverload
    @preconcurrency
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable (_ observer: @escaping ElementObserver<Element>) async throws -> Void
    ) -> Observable<Element> {
        Observable<Element>.create { observer in
            let target = UncheckedTransfer(observer)
            return runTask(detached, priority) {
                do {
                    try await work { target.value.onNext($0) }
                    target.value.onCompleted()
                } catch {
                    target.value.onError(error)
                }
            }
        }
    }
}

extension InfallibleType {
    /// Creates a cold stream from an asynchronous closure, which runs in a task for each subscription.
    ///
    /// The stream completes when the closure returns. Disposing of the subscription cancels the task; later elements
    /// are ignored. A detached task inherits nothing from the task that subscribes.
    @_disfavoredOverload
    @preconcurrency
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable (_ observer: @escaping ElementObserver<Element>) async -> Void
    ) -> Infallible<Element> {
        Infallible(
            Observable<Element>.create { observer in
                let target = UncheckedTransfer(observer)
                return runTask(detached, priority) {
                    await work { target.value.onNext($0) }
                    target.value.onCompleted()
                }
            })
    }
}

/// Starts a task for a subscription. Disposing of the result cancels the task.
func runTask(
    _ detached: Bool, _ priority: TaskPriority?, _ operation: @escaping @concurrent @Sendable () async -> Void
) -> any Disposable {
    let task =
        detached
        ? Task.detached(priority: priority, operation: operation) : Task(priority: priority, operation: operation)
    return Disposables.create { task.cancel() }
}
