extension ConnectableObservableType {
    /// Returns a stream that connects for its first subscriber and disconnects after its last.
    ///
    /// A later subscriber connects again.
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

/// The source of `refCount`: connects for the first subscriber and disconnects after the last.
final class RefCount<Element>: Source<Element> {
    private let core: ConnectableSource<Element>
    // `lock` guards the next four fields and the `generation` of each subscriber.
    private let lock = Lock()
    private var count = 0
    private var generation = 0
    private var isStarted = false
    private var connection: SubscriptionNode?

    private typealias Stopped = (connection: SubscriptionNode, forgotten: [AnyObject])

    init(_ core: ConnectableSource<Element>) { self.core = core }

    override func run(_ sink: Sink<Element>) {
        let subscriber = RefCountSink(self, into: sink)
        subscriber.attachToDownstream()
        enter(subscriber)
        core.connect(subscriber)
        // `isFirst` is known only after the subscription. Stored elements may have ended this subscriber, or its
        // callback may have added other subscribers.
        let (joinedGeneration, isFirst) = lock.withLock { () -> (Int, Bool) in
            // If the connection ended during the subscription, a subscriber that is still live belongs to the next
            // generation.
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

    /// Adds a reference for the subscriber, and another that lasts until its subscription is complete.
    ///
    /// The second reference keeps the stream connected during the subscription.
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

    /// Begins a new generation of subscribers and returns the connection of the old generation, if any.
    ///
    /// Call it under the lock, and dispose of the returned connection outside the lock.
    private func startNextGeneration() -> Stopped? {
        generation += 1
        count = 0
        isStarted = false
        defer { connection = nil }
        return connection.map { ($0, core.forget($0)) }
    }
}

private final class RefCountSink<Element>: SingleInputSink<Element, Element> {
    /// The generation to which the subscriber belongs. Guarded by the lock of the parent.
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
