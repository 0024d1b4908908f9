/// How long a shared stream stores its elements.
public enum SubjectLifetimeScope: Sendable {
    /// As long as the stream has subscribers. A later subscriber starts the stream again.
    case whileConnected
    /// Forever: a late subscriber receives the stored elements even if all earlier subscribers have left.
    case forever
}

extension ObservableType {
    /// Shares one subscription to the stream among all subscribers, from the first until after the last.
    ///
    /// Late subscribers first receive the last `replay` elements. After the end, a new subscriber starts the stream
    /// again (`.whileConnected`), or receives the stored elements and the end (`.forever`). A negative `replay` traps.
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<Element> {
        precondition(replay >= 0, "share: the replay count must not be negative.")
        switch scope {
        case .whileConnected: return Observable(Share(asObservable().source, replay))
        case .forever where replay == 0: return multicast(PublishSubject()).refCount()
        case .forever: return multicast(ReplaySubject.create(bufferSize: replay)).refCount()
        }
    }
}

private final class Share<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let replay: Int
    // `lock` guards `current`.
    private let lock = Lock()
    private var current: ShareCore<Element>?

    init(_ upstream: Source<Element>, _ replay: Int) {
        self.upstream = upstream
        self.replay = replay
    }

    override func run(_ sink: Sink<Element>) {
        while true {
            var old: ShareCore<Element>?
            var isNew = false
            let core = lock.withLock { () -> ShareCore<Element> in
                if let current, !current.hasEnded { return current }
                old = current
                isNew = true
                let core = ShareCore(of: self, limit: replay)
                current = core
                return core
            }
            _ = old
            let admitted = core.admit(sink)
            if isNew { core.start(upstream) }
            if admitted { return }
        }
    }

    /// Releases the core of a run that has ended, and with it the stored elements.
    fileprivate func forget(_ core: ShareCore<Element>) {
        let forgotten = lock.withLock { () -> ShareCore<Element>? in
            guard current === core else { return nil }
            defer { current = nil }
            return current
        }
        _ = forgotten
    }
}

/// One run of a shared stream. It ends with its source or with its last subscriber.
private final class ShareCore<Element>: ReplayCore<Element> {
    // The input and the core retain each other until the run ends. Guarded by the lock of the superclass.
    private var input: ShareInput<Element>?
    private weak var share: Share<Element>?

    init(of share: Share<Element>, limit: Int) {
        self.share = share
        super.init(limit: limit)
    }

    override var rejectsLateSubscribers: Bool { true }
    override func lastSubscriberLeft() { stop() }

    func start(_ upstream: Source<Element>) {
        let input = ShareInput(self)
        locked { self.input = input }
        if hasEnded { stop() } else { upstream.connect(input) }
    }

    fileprivate func stop() {
        let stopped = locked {
            defer { input = nil }
            return input
        }
        share?.forget(self)
        stopped?.dispose()
    }
}

/// A sink that passes the events of the source to the core of a run.
private final class ShareInput<Element>: Sink<Element> {
    private let core: ShareCore<Element>
    init(_ core: ShareCore<Element>) { self.core = core }

    override func next(_ value: Element) { if isLive { core.next(value) } }

    override func error(_ error: any Error) {
        guard markStopped() else { return }
        core.error(error)
        core.stop()
    }

    override func completed() {
        guard markStopped() else { return }
        core.completed()
        core.stop()
    }
}
