/// A sink that subscribes to one source after another.
///
/// The base class of the sinks of `concat`, `retry`, `catch` of a sequence and `ifEmpty`.
class SequentialSink<Element>: MultiInputSink<Element> {
    // Used inside the operator's serial drain only.
    private final var isNextDue = true
    private final var isSubscribing = false
    private final weak var current: SubscriptionNode?

    /// Returns the next source, or nil if there is none.
    func nextSource() -> Source<Element>? { nil }

    /// Called when there is no next source.
    func sourcesExhausted() { finish() }

    /// Called before an element is forwarded.
    func willForward() {}

    /// Called when the current source has completed.
    func inputCompleted() { finish() }

    /// Called when the current source has failed.
    func inputFailed(_ error: any Error) { fail(error) }

    final func begin() { drain.perform(on: self) { $0.subscribeWhileDue() } }

    /// Ends the current input and subscribes to the next source.
    final func subscribeToNext() {
        if let current { removeInput(current) }
        isNextDue = true
        subscribeWhileDue()
    }

    // A loop instead of a recursion, because many sources may end at subscription.
    private func subscribeWhileDue() {
        if isSubscribing { return }
        isSubscribing = true
        while isNextDue, isLive {
            isNextDue = false
            guard let source = nextSource() else {
                sourcesExhausted()
                break
            }
            let input = SequentialInput(of: self)
            current = input
            subscribe(to: source, with: input)
        }
        isSubscribing = false
    }
}

private final class SequentialInput<Element>: SerialSink<Element> {
    private let sink: SequentialSink<Element>

    init(of sink: SequentialSink<Element>) {
        self.sink = sink
        super.init(sink.drain)
    }

    override func receive(_ value: Element) {
        guard isLive else { return }
        sink.willForward()
        sink.forward(value)
    }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        sink.removeInput(self)
        sink.inputFailed(error)
    }

    override func receiveCompleted() {
        guard markStopped() else { return }
        sink.removeInput(self)
        sink.inputCompleted()
    }
}
