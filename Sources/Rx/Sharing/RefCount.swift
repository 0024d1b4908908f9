extension ConnectableObservableType {
    /// The stream, started for the first subscriber and stopped with the last.
    public func refCount() -> Observable<Element> { Observable(RefCount(Connectable(self))) }
}

/// Somebody else's connectable stream.
private final class Connectable<Stream: ConnectableObservableType>: ConnectableCore<Stream.Element> {
    private let stream: Stream
    init(_ stream: Stream) { self.stream = stream }
    override func run(_ sink: Sink<Stream.Element>) { stream.asObservable().source.connect(sink) }

    override func start() -> Stage {
        let stage = Stage()
        stage.attach(stream.connect())
        return stage
    }
}

/// Starts a connectable stream for the first subscriber and stops it with the last.
final class RefCount<Element>: Source<Element> {
    private let core: ConnectableCore<Element>
    // `lock` guards these four, and `round` of each subscriber.
    private let lock = Lock()
    private var count = 0
    private var round = 0
    private var isStarted = false
    private var running: Stage?

    private typealias Stopped = (run: Stage, forgotten: [AnyObject])

    init(_ core: ConnectableCore<Element>) { self.core = core }

    override func run(_ sink: Sink<Element>) {
        let counted = CountedSink(self, into: sink)
        enter(counted)
        core.connect(counted)
        // Who starts it is found out now: the first may have had enough of what was remembered, and others may have come
        // from inside its callback.
        let (member, starts) = lock.withLock { () -> (Int, Bool) in
            // A run that ended meanwhile took its subject along; this subscriber heard the end or is at the next one.
            if counted.round != round, counted.isLive { enroll(counted) }
            let starts = counted.round == round && !isStarted && count > 1
            if starts { isStarted = true }
            return (counted.round, starts)
        }
        if starts {
            let started = core.start()
            let isStale = lock.withLock { () -> Bool in
                guard round == member else { return true }
                running = started
                return false
            }
            if isStale { started.dispose() }
        }
        giveBack(placeIn: { member })
    }

    private func enter(_ counted: CountedSink<Element>) { lock.withLock { enroll(counted) } }

    /// A place for the subscriber, and one for the time in which it is subscribed: the stream is not stopped meanwhile.
    private func enroll(_ counted: CountedSink<Element>) {
        counted.round = round
        count += 2
    }

    fileprivate func left(_ counted: CountedSink<Element>) { giveBack(placeIn: { counted.round }) }

    private func giveBack(placeIn member: () -> Int) {
        let stopped = lock.withLock { () -> Stopped? in
            guard round == member() else { return nil }
            count -= 1
            return count == 0 ? nextRound() : nil
        }
        stopped?.run.dispose()
    }

    fileprivate func ended(_ counted: CountedSink<Element>) {
        let stopped = lock.withLock { round == counted.round ? nextRound() : nil }
        stopped?.run.dispose()
    }

    /// Who comes from now on belongs to a new run, also while the old one is still being given up.
    private func nextRound() -> Stopped? {
        round += 1
        count = 0
        isStarted = false
        defer { running = nil }
        return running.map { ($0, core.forget($0)) }
    }
}

private final class CountedSink<Element>: Pipe<Element, Element> {
    /// Guarded by the lock of the parent.
    var round = -1
    private let parent: RefCount<Element>

    init(_ parent: RefCount<Element>, into downstream: Sink<Element>) {
        self.parent = parent
        super.init(into: downstream)
    }

    override func next(_ value: Element) { forward(value) }

    override func error(_ error: any Error) {
        parent.ended(self)
        fail(error)
    }

    override func completed() {
        parent.ended(self)
        finish()
    }

    override func dispose() {
        if markDisposed() { parent.left(self) }
    }
}
