extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns a cold stream that iterates the sequence in a task for each subscription.
    ///
    /// Disposing of the subscription cancels the task. An error of the sequence fails the stream, but a
    /// `CancellationError` completes it. A detached task inherits nothing from the task that subscribes.
    public func asObservable(detached: Bool = false, priority: TaskPriority? = nil) -> Observable<Element> {
        // Uses a class, because the closure of `create` would capture a metatype with a conformance, which is not
        // Sendable.
        Observable(AsyncSequenceSource(self, detached, priority))
    }
}

private final class AsyncSequenceSource<Sequence: AsyncSequence & Sendable>: Source<Sequence.Element>
where Sequence.Element: Sendable {
    private let sequence: Sequence
    private let detached: Bool
    private let priority: TaskPriority?

    init(_ sequence: Sequence, _ detached: Bool, _ priority: TaskPriority?) {
        self.sequence = sequence
        self.detached = detached
        self.priority = priority
    }

    override func run(_ sink: Sink<Sequence.Element>) {
        let target = UncheckedTransfer(sink)
        let sequence = sequence
        sink.attach(
            runTask(detached, priority) {
                do {
                    for try await element in sequence {
                        if Task.isCancelled { return }
                        target.value.next(element)
                    }
                    if !Task.isCancelled { target.value.completed() }
                } catch {
                    if Task.isCancelled { return }
                    if error is CancellationError { target.value.completed() } else { target.value.error(error) }
                }
            })
    }
}
