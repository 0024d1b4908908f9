/// A source that is started apart from being subscribed to.
class ConnectableSource<Element>: Source<Element> {
    /// Starts it, or gives the run that is under way.
    func start() -> SubscriptionNode { SubscriptionNode() }

    /// Gives no new subscriber to the run any more, which is about to be given up. What is returned is to be let go of
    /// outside of any lock.
    func forget(_ run: SubscriptionNode) -> [AnyObject] { [] }
}

/// The two sides of a subject.
struct SubjectEnds<Input, Output> {
    let input: Sink<Input>
    let output: Source<Output>

    init<Subject: SubjectType>(_ subject: Subject) where Subject.Observer.Element == Input, Subject.Element == Output {
        input = ObserverSink(subject.asObserver())
        output = subject.asObservable().source
    }
}

/// A stream through a subject that is made for each run.
final class Multicast<Input, Output>: ConnectableSource<Output> {
    private let upstream: Source<Input>
    private let makeSubject: () -> SubjectEnds<Input, Output>
    // `lock` guards both.
    private let lock = Lock()
    private var subject: SubjectEnds<Input, Output>?
    private var current: MulticastConnection<Input, Output>?

    init(_ upstream: Source<Input>, _ makeSubject: @escaping () -> SubjectEnds<Input, Output>) {
        self.upstream = upstream
        self.makeSubject = makeSubject
    }

    override func connect(_ sink: Sink<Output>) { run(sink) }
    override func run(_ sink: Sink<Output>) { currentSubject().output.connect(sink) }

    private func currentSubject() -> SubjectEnds<Input, Output> {
        if let subject = lock.withLock({ subject }) { return subject }
        // A user's closure makes it, so it is not made under the lock; who comes second takes what is there.
        let made = makeSubject()
        return lock.withLock {
            if subject == nil { subject = made }
            return subject ?? made
        }
    }

    override func start() -> SubscriptionNode {
        while true {
            let target = currentSubject().input
            let connection = MulticastConnection(self, target)
            let existing = lock.withLock { () -> MulticastConnection<Input, Output>? in
                if let current { return current }
                // Another run came and went meanwhile, and its subject with it.
                guard subject?.input === target else { return nil }
                current = connection
                return connection
            }
            guard let existing else { continue }
            if existing === connection { upstream.connect(connection) }
            return existing
        }
    }

    override func forget(_ run: SubscriptionNode) -> [AnyObject] {
        lock.withLock {
            guard let subject, let current, current === run else { return [] }
            self.subject = nil
            self.current = nil
            return [subject.input, subject.output, current]
        }
    }
}

/// One run: feeds the subject until the source ends or the run is given up.
private final class MulticastConnection<Input, Output>: Sink<Input> {
    private let core: Multicast<Input, Output>
    private let target: Sink<Input>

    init(_ core: Multicast<Input, Output>, _ target: Sink<Input>) {
        self.core = core
        self.target = target
    }

    override func next(_ value: Input) { if isLive { target.next(value) } }

    override func error(_ error: any Error) {
        guard markStopped() else { return }
        _ = core.forget(self)
        target.error(error)
        dispose()
    }

    override func completed() {
        guard markStopped() else { return }
        _ = core.forget(self)
        target.completed()
        dispose()
    }

    override func dispose() {
        if markDisposed() { _ = core.forget(self) }
    }
}
