extension ObservableType {
    /// The stream that the selector returns for this one.
    ///
    /// Each subscription shares this stream through a new subject.
    ///
    /// The selector may use its stream several times: the source is subscribed to once, after the result of the
    /// selector. If a closure throws, the stream fails with that error.
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

/// A source that is started independently of its subscriptions.
class ConnectableSource<Element>: Source<Element> {
    /// Starts it, or returns the current connection.
    func start() -> SubscriptionNode { SubscriptionNode() }

    /// Forgets a connection that is about to be disposed of, so that it gets no new subscriber.
    ///
    /// Release the result outside any lock.
    func forget(_ connection: SubscriptionNode) -> [AnyObject] { [] }
}

/// The observer and the stream of a subject.
struct SubjectEnds<Input, Output> {
    let input: Sink<Input>
    let output: Source<Output>

    init<Subject: SubjectType>(_ subject: Subject) where Subject.Observer.Element == Input, Subject.Element == Output {
        input = ObserverSink(subject.asObserver())
        output = subject.asObservable().source
    }
}

/// A stream that is shared through a subject, which is created for each connection.
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
        // Created outside the lock, because user code creates it. Of two threads, the second uses the first's subject.
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
                // Another connection started and ended meanwhile, and so did its subject.
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

/// One connection: feeds the subject until the source ends or the connection is disposed of.
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

/// Forwards the result and disposes of the connection with it.
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
