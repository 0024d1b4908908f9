extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
    /// Subscribes and returns the element, or throws the error.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. If the task is already
    /// cancelled, an outcome that the stream sends at subscription is still returned or thrown.
    public var value: Element {
        get async throws {
            let stream = primitiveSequence.stream
            guard let element = try await OutcomeWaiter<Element>().wait(for: stream) else { throw RxError.noElements }
            return element
        }
    }

    /// Creates a cold `Single` from an asynchronous closure, which runs in a task for each subscription.
    ///
    /// The `Single` sends the value that the closure returns, or fails with the error that it throws. Disposing of the
    /// subscription cancels the task.
    @preconcurrency
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
    ) -> Single<Element> {
        Single(
            raw: Observable<Element>.create { observer in
                runTask(detached, priority) {
                    do {
                        observer.onNext(try await work())
                        observer.onCompleted()
                    } catch {
                        observer.onError(error)
                    }
                }
            })
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
    /// Subscribes and returns the element, or nil if there is none, or throws the error.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. If the task is already
    /// cancelled, an outcome that the stream sends at subscription is still returned or thrown.
    public var value: Element? {
        get async throws {
            let stream = primitiveSequence.stream
            return try await OutcomeWaiter<Element>().wait(for: stream)
        }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes and returns after completion, or throws the error.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. If the task is already
    /// cancelled, an outcome that the stream sends at subscription still counts.
    public var value: Void {
        get async throws {
            let stream = primitiveSequence.stream
            _ = try await OutcomeWaiter<Never>().wait(for: stream)
        }
    }
}

/// The wait of one task for the outcome of one subscription.
private final class OutcomeWaiter<Element: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Element?, any Error>?
        var waiter: CheckedContinuation<Element?, any Error>?
    }

    private let state = Guarded<State>(State())

    func wait(for stream: Observable<Element>) async throws -> Element? {
        let subscription = SingleAssignmentDisposable()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiter = continuation }
                subscription.setDisposable(
                    stream.subscribeForOutcome(
                        onSuccess: { self.end(.success($0)) }, onError: { self.end(.failure($0)) },
                        onCompleted: { self.end(.success(nil)) },
                        // Ends the wait if the subscription was disposed of. After an outcome the call has no effect.
                        onDisposed: { self.end(.failure(CancellationError())) }))
            }
        } onCancel: {
            subscription.dispose()
        }
    }

    private func end(_ outcome: Result<Element?, any Error>) {
        let waiter = state.withLock { state in
            if state.outcome != nil { return nil as CheckedContinuation<Element?, any Error>? }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: outcome)
    }
}
