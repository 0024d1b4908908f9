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
    // `lock` guards these three.
    private let lock = Lock()
    private var count = 0
    private var round = 0
    private var running: Stage?

    init(_ core: ConnectableCore<Element>) { self.core = core }

    override func run(_ sink: Sink<Element>) {
        let (member, isFirst) = lock.withLock {
            count += 1
            return (round, count == 1)
        }
        let counted = CountedSink(self, round: member, into: sink)
        core.connect(counted)
        guard isFirst, counted.isLive else { return }
        let started = core.start()
        let stale = lock.withLock { () -> Bool in
            // The stream may have ended, or lost its subscribers, while it started.
            guard round == member, count > 0 else { return true }
            running = started
            return false
        }
        if stale { started.dispose() }
    }

    fileprivate func left(round member: Int) {
        let stopped = lock.withLock { () -> Stage? in
            guard round == member else { return nil }
            count -= 1
            return count == 0 ? nextRound() : nil
        }
        stopped?.dispose()
    }

    fileprivate func ended(round member: Int) {
        let stopped = lock.withLock { round == member ? nextRound() : nil }
        stopped?.dispose()
    }

    private func nextRound() -> Stage? {
        round += 1
        count = 0
        defer { running = nil }
        return running
    }
}

private final class CountedSink<Element>: Pipe<Element, Element> {
    private let parent: RefCount<Element>
    private let round: Int

    init(_ parent: RefCount<Element>, round: Int, into downstream: Sink<Element>) {
        self.parent = parent
        self.round = round
        super.init(into: downstream)
    }

    override func next(_ value: Element) { forward(value) }

    override func error(_ error: any Error) {
        parent.ended(round: round)
        fail(error)
    }

    override func completed() {
        parent.ended(round: round)
        finish()
    }

    override func dispose() {
        if markDisposed() { parent.left(round: round) }
    }
}
