extension ConnectableObservableType {
    /// The stream, started for the first subscriber and stopped after the last.
    ///
    /// A later subscriber isFirst it again.
    public func refCount() -> Observable<Element> { Observable(RefCount(ExternalConnectable(self))) }
}

/// A connectable stream of a user's own type.
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

/// Starts a connectable stream for the first subscriber and stops it after the last.
final class RefCount<Element>: Source<Element> {
    private let core: ConnectableSource<Element>
    // `lock` guards these four, and `generation` of each subscriber.
    private let lock = Lock()
    private var count = 0
    private var generation = 0
    private var isStarted = false
    private var connection: SubscriptionNode?

    private typealias Stopped = (connection: SubscriptionNode, forgotten: [AnyObject])

    init(_ core: ConnectableSource<Element>) { self.core = core }

    override func run(_ sink: Sink<Element>) {
        let subscriber = RefCountSink(self, into: sink)
        enter(subscriber)
        core.connect(subscriber)
        // Decided after the subscription: stored elements may have ended the first subscriber, or it may have
        // subscribed others from its callback.
        let (joinedGeneration, isFirst) = lock.withLock { () -> (Int, Bool) in
            // If the connection ended meanwhile, this subscriber received the end or belongs to the next generation.
            if subscriber.generation != generation, subscriber.isLive { addReferences(subscriber) }
            let isFirst = subscriber.generation == generation && !isStarted && count > 1
            if isFirst { isStarted = true }
            return (subscriber.generation, isFirst)
        }
        if isFirst {
            let started = core.start()
            let isOutdated = lock.withLock { () -> Bool in
                guard generation == joinedGeneration else { return true }
                connection = started
                return false
            }
            if isOutdated { started.dispose() }
        }
        releaseReference(of: { joinedGeneration })
    }

    private func enter(_ subscriber: RefCountSink<Element>) { lock.withLock { addReferences(subscriber) } }

    /// Adds one reference for the subscriber and one until its subscription is complete.
    ///
    /// The second one keeps the stream from being stopped meanwhile.
    private func addReferences(_ subscriber: RefCountSink<Element>) {
        subscriber.generation = generation
        count += 2
    }

    fileprivate func subscriberLeft(_ subscriber: RefCountSink<Element>) {
        releaseReference(of: { subscriber.generation })
    }

    private func releaseReference(of referencedGeneration: () -> Int) {
        let stopped = lock.withLock { () -> Stopped? in
            guard generation == referencedGeneration() else { return nil }
            count -= 1
            return count == 0 ? startNextGeneration() : nil
        }
        stopped?.connection.dispose()
    }

    fileprivate func streamEnded(_ subscriber: RefCountSink<Element>) {
        let stopped = lock.withLock { generation == subscriber.generation ? startNextGeneration() : nil }
        stopped?.connection.dispose()
    }

    /// Starts a new generation of subscribers, even while the old connection is being disposed of.
    private func startNextGeneration() -> Stopped? {
        generation += 1
        count = 0
        isStarted = false
        defer { connection = nil }
        return connection.map { ($0, core.forget($0)) }
    }
}

private final class RefCountSink<Element>: SingleInputSink<Element, Element> {
    /// The generation to which it belongs. Guarded by the lock of the parent.
    var generation = -1
    private let parent: RefCount<Element>

    init(_ parent: RefCount<Element>, into downstream: Sink<Element>) {
        self.parent = parent
        super.init(into: downstream)
    }

    override func next(_ value: Element) { forward(value) }

    override func error(_ error: any Error) {
        parent.streamEnded(self)
        fail(error)
    }

    override func completed() {
        parent.streamEnded(self)
        finish()
    }

    override func dispose() {
        if markDisposed() { parent.subscriberLeft(self) }
    }
}
