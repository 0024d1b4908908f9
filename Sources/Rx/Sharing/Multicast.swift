extension ObservableType {
    /// Emits the elements of the stream that the selector returns for a shared form of this stream.
    ///
    /// Each subscription shares this stream through a new subject from `subjectSelector`.
    ///
    /// The selector may use the shared stream several times: this stream is subscribed to once, after the stream that
    /// the selector returns. If a closure throws, the result fails with that error.
    @preconcurrency
    public func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                do {
                    let subject = SubjectEnds<Element, Subject.Element>(try subjectSelector())
                    let core = Multicast(upstream) { subject }
                    let result = try selector(ConnectableObservable(core))
                    let sink = MulticastSelectorSink(core, into: downstream)
                    result.source.connect(sink)
                    sink.start()
                } catch {
                    downstream.error(error)
                }
            })
    }
}

/// A source that `start` runs independently of its subscriptions.
class ConnectableSource<Element>: Source<Element> {
    /// Starts the source and returns the new connection, or returns the current connection.
    func start() -> SubscriptionNode { SubscriptionNode() }

    /// Forgets a connection before it is disposed of, so that it gets no new subscriber.
    ///
    /// The caller must release the returned objects outside any lock.
    func forget(_ connection: SubscriptionNode) -> [AnyObject] { [] }
}

/// The two ends of a subject: the sink that feeds the subject and the source of its events.
struct SubjectEnds<Input, Output> {
    let input: Sink<Input>
    let output: Source<Output>

    init<Subject: SubjectType>(_ subject: Subject) where Subject.Observer.Element == Input, Subject.Element == Output {
        input = ObserverSink(subject.asObserver())
        output = subject.asObservable().source
    }
}

/// The source of `multicast`: shares its upstream through a subject, which each connection gets.
final class Multicast<Input, Output>: ConnectableSource<Output> {
    private let upstream: Source<Input>
    private let makeSubject: () -> SubjectEnds<Input, Output>
    // `lock` guards `subject` and `current`.
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
        // Calls `makeSubject` outside the lock, because it is user code. If two threads call it, both use the subject
        // that is stored first.
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
                // If another connection has started and ended since `currentSubject`, its subject is gone. The loop
                // tries again.
                guard subject?.input === target else { return nil }
                current = connection
                return connection
            }
            guard let existing else { continue }
            if existing === connection { upstream.connect(connection) }
            return existing
        }
    }

    override func forget(_ connection: SubscriptionNode) -> [AnyObject] {
        lock.withLock {
            guard let subject, let current, current === connection else { return [] }
            self.subject = nil
            self.current = nil
            return [subject.input, subject.output, current]
        }
    }
}

/// One connection of `multicast`: feeds the subject until the source or the connection ends.
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

/// The sink of `multicast` with a selector: forwards the result and disposes of the connection.
private final class MulticastSelectorSink<Middle, Output>: Sink<Output> {
    private let downstream: Sink<Output>
    private let core: ConnectableSource<Middle>
    private let ends = CompositeTeardown()

    init(_ core: ConnectableSource<Middle>, into downstream: Sink<Output>) {
        self.core = core
        self.downstream = downstream
        super.init()
        downstream.attach(ends)
        ends.add(self)
    }

    func start() { if isLive { ends.add(core.start()) } }

    override func next(_ value: Output) { if isLive { downstream.next(value) } }

    override func error(_ error: any Error) {
        guard markStopped() else { return }
        downstream.error(error)
        ends.dispose()
    }

    override func completed() {
        guard markStopped() else { return }
        downstream.completed()
        ends.dispose()
    }
}
