/// One stream after another: what `concat`, `retry` and `catch` of a sequence have in common.
class SequentialSink<Element>: MultiInputSink<Element> {
    // These are touched inside the drain only.
    private final var due = true
    private final var pumping = false
    private final weak var current: SubscriptionNode?

    /// The next stream, or nil when there is none.
    func nextSource() -> Source<Element>? { nil }

    /// What to do when there is no next stream.
    func sourcesExhausted() { finish() }

    /// An element is about to be sent on.
    func willForward() {}

    /// A stream completed.
    func inputCompleted() { finish() }

    /// A stream failed.
    func inputFailed(_ error: any Error) { fail(error) }

    final func begin() { drain.perform(on: self) { $0.pump() } }

    /// Goes on with the next stream.
    final func subscribeToNext() {
        if let current { removeInput(current) }
        due = true
        pump()
    }

    // A loop and not a recursion: many streams may end at subscription.
    private func pump() {
        if pumping { return }
        pumping = true
        while due, isLive {
            due = false
            guard let source = nextSource() else {
                sourcesExhausted()
                break
            }
            let attempt = SequentialInput(of: self)
            current = attempt
            subscribe(to: source, with: attempt)
        }
        pumping = false
    }
}

private final class SequentialInput<Element>: SerialSink<Element> {
    private let sequentialSink: SequentialSink<Element>

    init(of sequentialSink: SequentialSink<Element>) {
        self.sequentialSink = sequentialSink
        super.init(sequentialSink.drain)
    }

    override func receive(_ value: Element) {
        guard isLive else { return }
        sequentialSink.willForward()
        sequentialSink.forward(value)
    }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        sequentialSink.removeInput(self)
        sequentialSink.inputFailed(error)
    }

    override func receiveCompleted() {
        guard markStopped() else { return }
        sequentialSink.removeInput(self)
        sequentialSink.inputCompleted()
    }
}
