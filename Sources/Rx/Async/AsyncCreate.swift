extension ObservableConvertibleType {
    /// Sends an element to the subscriber of a stream that is made by an asynchronous closure.
    public typealias ElementObserver<Element> = @Sendable (Element) -> Void

    /// A cold stream made by an asynchronous closure, which runs in a task for each subscription.
    ///
    /// The stream completes when the closure returns and fails with what it throws. To dispose cancels the task; elements
    /// that the closure sends after that are ignored. A detached task inherits nothing from the task that subscribes.
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
    /// A cold stream made by an asynchronous closure, which runs in a task for each subscription.
    ///
    /// The stream completes when the closure returns. To dispose cancels the task; elements that the closure sends after
    /// that are ignored. A detached task inherits nothing from the task that subscribes.
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
