/// A source that is started apart from being subscribed to.
class ConnectableCore<Element>: Source<Element> {
    /// Starts it, or gives the run that is under way.
    func start() -> Stage { Stage() }
}

/// The two sides of a subject.
struct Joint<Input, Output> {
    let input: Sink<Input>
    let output: Source<Output>

    init<Subject: SubjectType>(_ subject: Subject) where Subject.Observer.Element == Input, Subject.Element == Output {
        input = ObserverSink(subject.asObserver())
        output = subject.asObservable().source
    }
}

/// A stream through a subject that is made for each run.
final class Multicast<Input, Output>: ConnectableCore<Output> {
    private let upstream: Source<Input>
    private let makeJoint: () -> Joint<Input, Output>
    // `lock` guards both.
    private let lock = Lock()
    private var joint: Joint<Input, Output>?
    private var running: Run<Input, Output>?

    init(_ upstream: Source<Input>, _ makeJoint: @escaping () -> Joint<Input, Output>) {
        self.upstream = upstream
        self.makeJoint = makeJoint
    }

    override func connect(_ sink: Sink<Output>) { run(sink) }
    override func run(_ sink: Sink<Output>) { present().output.connect(sink) }

    private func present() -> Joint<Input, Output> {
        if let joint = lock.withLock({ joint }) { return joint }
        // A user's closure makes it, so it is not made under the lock; who comes second takes what is there.
        let made = makeJoint()
        return lock.withLock {
            if joint == nil { joint = made }
            return joint ?? made
        }
    }

    override func start() -> Stage {
        let target = present().input
        let fresh = Run(self, target)
        let existing = lock.withLock { () -> Run<Input, Output>? in
            if let running { return running }
            running = fresh
            return nil
        }
        if let existing { return existing }
        upstream.connect(fresh)
        return fresh
    }

    fileprivate func ended(_ run: Run<Input, Output>) {
        let gone = lock.withLock { () -> (Joint<Input, Output>?, Run<Input, Output>?) in
            guard running === run else { return (nil, nil) }
            defer {
                joint = nil
                running = nil
            }
            return (joint, running)
        }
        _ = gone
    }
}

/// One run: feeds the subject until the source ends or the run is given up.
private final class Run<Input, Output>: Sink<Input> {
    private let core: Multicast<Input, Output>
    private let target: Sink<Input>

    init(_ core: Multicast<Input, Output>, _ target: Sink<Input>) {
        self.core = core
        self.target = target
    }

    override func next(_ value: Input) { if isLive { target.next(value) } }

    override func error(_ error: any Error) {
        guard markStopped() else { return }
        core.ended(self)
        target.error(error)
        dispose()
    }

    override func completed() {
        guard markStopped() else { return }
        core.ended(self)
        target.completed()
        dispose()
    }

    override func dispose() {
        if markDisposed() { core.ended(self) }
    }
}
