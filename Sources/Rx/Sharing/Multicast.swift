/// A source that is started apart from being subscribed to.
class ConnectableCore<Element>: Source<Element> {
    /// Starts it, or gives the run that is under way.
    func start() -> Stage { Stage() }

    /// Gives no new subscriber to the run any more, which is about to be given up. What is returned is to be let go of
    /// outside of any lock.
    func forget(_ run: Stage) -> [AnyObject] { [] }
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
        while true {
            let target = present().input
            let fresh = Run(self, target)
            let existing = lock.withLock { () -> Run<Input, Output>? in
                if let running { return running }
                // Another run came and went meanwhile, and its subject with it.
                guard joint?.input === target else { return nil }
                running = fresh
                return fresh
            }
            guard let existing else { continue }
            if existing === fresh { upstream.connect(fresh) }
            return existing
        }
    }

    override func forget(_ run: Stage) -> [AnyObject] {
        lock.withLock {
            guard let joint, let running, running === run else { return [] }
            self.joint = nil
            self.running = nil
            return [joint.input, joint.output, running]
        }
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
