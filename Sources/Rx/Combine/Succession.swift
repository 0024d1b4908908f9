/// One stream after another: what `concat`, `retry` and `catch` of a sequence have in common.
class Succession<Element>: Hub<Element> {
    // These are touched inside the gate only.
    private final var due = true
    private final var pumping = false
    private final weak var current: Stage?

    /// The next stream, or nil when there is none.
    func following() -> Source<Element>? { nil }

    /// What to do when there is no next stream.
    func exhausted() { finish() }

    /// An element is about to be sent on.
    func received() {}

    /// A stream completed.
    func attemptCompleted() { finish() }

    /// A stream failed.
    func attemptFailed(_ error: any Error) { fail(error) }

    final func begin() { gate.pass(self) { $0.pump() } }

    /// Goes on with the next stream.
    final func advance() {
        if let current { drop(current) }
        due = true
        pump()
    }

    // A loop and not a recursion: many streams may end at subscription.
    private func pump() {
        if pumping { return }
        pumping = true
        while due, isLive {
            due = false
            guard let source = following() else {
                exhausted()
                break
            }
            let attempt = Attempt(of: self)
            current = attempt
            listen(to: source, with: attempt)
        }
        pumping = false
    }
}

private final class Attempt<Element>: SerialSink<Element> {
    private let succession: Succession<Element>

    init(of succession: Succession<Element>) {
        self.succession = succession
        super.init(succession.gate)
    }

    override func receive(_ value: Element) {
        guard isLive else { return }
        succession.received()
        succession.forward(value)
    }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        succession.drop(self)
        succession.attemptFailed(error)
    }

    override func receiveCompleted() {
        guard markStopped() else { return }
        succession.drop(self)
        succession.attemptCompleted()
    }
}
