extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// A cold stream that iterates the sequence anew for each subscription, in a task that is cancelled on dispose.
    public func asObservable() -> Observable<Element> {
        // Not inside the closure: a metatype with a conformance is not Sendable, the sequence is.
        Observable(Iteration(self))
    }
}

private final class Iteration<Sequence: AsyncSequence & Sendable>: Source<Sequence.Element>
where Sequence.Element: Sendable {
    private let sequence: Sequence
    init(_ sequence: Sequence) { self.sequence = sequence }

    override func run(_ sink: Sink<Sequence.Element>) {
        let target = Ferry(sink)
        let sequence = sequence
        let task = Task<Void, Never> {
            do {
                for try await element in sequence {
                    if Task.isCancelled { return }
                    target.value.next(element)
                }
                if !Task.isCancelled { target.value.completed() }
            } catch {
                if !Task.isCancelled { target.value.error(error) }
            }
        }
        sink.attach(Disposables.create { task.cancel() })
    }
}
