extension ConnectableObservableType {
    /// The stream, started for the first subscriber and stopped with the last.
    public func refCount() -> Observable<Element> { Observable(RefCount(ExternalConnectable(self))) }
}

/// Somebody else's connectable stream.
private final class ExternalConnectable<Stream: ConnectableObservableType>: ConnectableSource<Stream.Element> {
    private let stream: Stream
    init(_ stream: Stream) { self.stream = stream }
    override func run(_ sink: Sink<Stream.Element>) { stream.asObservable().source.connect(sink) }

    override func start() -> SubscriptionNode {
        let node = SubscriptionNode()
        node.attach(stream.connect())
        return node
    }
}

/// Starts a connectable stream for the first subscriber and stops it with the last.
final class RefCount<Element>: Source<Element> {
    private let core: ConnectableSource<Element>
    // `lock` guards these four, and `generation` of each subscriber.
    private let lock = Lock()
    private var count = 0
    private var generation = 0
    private var isStarted = false
    private var running: SubscriptionNode?

    private typealias Stopped = (run: SubscriptionNode, forgotten: [AnyObject])

    init(_ core: ConnectableSource<Element>) { self.core = core }

    override func run(_ sink: Sink<Element>) {
        let subscriber = RefCountSink(self, into: sink)
        enter(subscriber)
        core.connect(subscriber)
        // Who starts it is found out now: the first may have had enough of what was remembered, and others may have come
        // from inside its callback.
        let (member, starts) = lock.withLock { () -> (Int, Bool) in
            // A run that ended meanwhile took its subject along; this subscriber heard the end or is at the next one.
            if subscriber.generation != generation, subscriber.isLive { addReferences(subscriber) }
            let starts = subscriber.generation == generation && !isStarted && count > 1
            if starts { isStarted = true }
            return (subscriber.generation, starts)
        }
        if starts {
            let started = core.start()
            let isStale = lock.withLock { () -> Bool in
                guard generation == member else { return true }
                running = started
                return false
            }
            if isStale { started.dispose() }
        }
        release(countIn: { member })
    }

    private func enter(_ subscriber: RefCountSink<Element>) { lock.withLock { addReferences(subscriber) } }

    /// A place for the subscriber, and one for the time in which it is subscribed: the stream is not stopped meanwhile.
    private func addReferences(_ subscriber: RefCountSink<Element>) {
        subscriber.generation = generation
        count += 2
    }

    fileprivate func left(_ subscriber: RefCountSink<Element>) { release(countIn: { subscriber.generation }) }

    private func release(countIn member: () -> Int) {
        let stopped = lock.withLock { () -> Stopped? in
            guard generation == member() else { return nil }
            count -= 1
            return count == 0 ? startNextGeneration() : nil
        }
        stopped?.run.dispose()
    }

    fileprivate func ended(_ subscriber: RefCountSink<Element>) {
        let stopped = lock.withLock { generation == subscriber.generation ? startNextGeneration() : nil }
        stopped?.run.dispose()
    }

    /// Who comes from now on belongs to a new run, also while the old one is still being given up.
    private func startNextGeneration() -> Stopped? {
        generation += 1
        count = 0
        isStarted = false
        defer { running = nil }
        return running.map { ($0, core.forget($0)) }
    }
}

private final class RefCountSink<Element>: SingleInputSink<Element, Element> {
    /// Guarded by the lock of the parent.
    var generation = -1
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
