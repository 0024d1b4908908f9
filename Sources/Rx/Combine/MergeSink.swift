/// Streams flowing together, at most `limit` of them at a time; those that come later wait their turn, or are dropped.
final class MergeSink<Element>: FlattenSink<Element> {
    private let limit: Int
    private let dropsExcess: Bool
    // `lock` guards what follows.
    private let lock = Lock()
    private var active = 0
    private var outerEnded = false
    private var pumping = false
    // Made when the first stream has to wait, so that the usual way does not pay for looking at a queue.
    private var waiting: FIFOQueue<Source<Element>>?

    init(limit: Int, dropsExcess: Bool = false, into downstream: Sink<Element>) {
        self.limit = limit
        self.dropsExcess = dropsExcess
        super.init(into: downstream)
    }

    override var isFull: Bool { dropsExcess && lock.withLock { active >= limit } }

    override func admit(_ source: Source<Element>) {
        let starts = lock.withLock { () -> Bool in
            if active < limit, waiting == nil {
                active += 1
                return true
            }
            let queue = waiting ?? FIFOQueue()
            queue.append(source)
            waiting = queue
            return false
        }
        if starts { open(source) } else { pump() }
    }

    override func outerCompleted() {
        if lock.withLock({ setOuterEnded() }) { finish() }
    }

    /// All the streams that there will be, together.
    func merge(_ sources: [Source<Element>]) {
        let ends = lock.withLock { () -> Bool in
            active = sources.count
            return setOuterEnded()
        }
        if ends { finish() }
        for source in sources where isLive { subscribe(to: source, with: InnerSink(of: self)) }
    }

    private func open(_ source: Source<Element>) {
        if forwardOnlyElement(of: source) {
            innerEnded { sink in sink.drain.perform(on: sink) { $0.finish() } }
        } else if isLive {
            subscribe(to: source, with: InnerSink(of: self))
        }
    }

    override func innerCompleted(_ inner: SubscriptionNode) {
        removeInput(inner)
        innerEnded { $0.finish() }
    }

    private func innerEnded(_ end: (MergeSink<Element>) -> Void) {
        var hasWaiting = false
        let ends = lock.withLock { () -> Bool in
            active -= 1
            hasWaiting = waiting != nil
            return isDone
        }
        if ends { end(self) } else if hasWaiting { pump() }
    }

    // A loop and not a recursion: a thousand waiting streams may each complete at subscription.
    private func pump() {
        guard lock.withLock({ startPumping() }) else { return }
        while isLive, let next = lock.withLock({ takeNext() }) { open(next) }
        if lock.withLock({ isDone }) { drain.perform(on: self) { $0.finish() } }
    }

    // MARK: Under the lock

    private var isDone: Bool { outerEnded && active == 0 && waiting == nil }

    private func setOuterEnded() -> Bool {
        outerEnded = true
        return isDone
    }

    private func startPumping() -> Bool {
        if pumping { return false }
        pumping = true
        return true
    }

    /// The next stream that may start; when there is none, whoever ends one pumps again.
    private func takeNext() -> Source<Element>? {
        guard active < limit, let node = waiting?.takeFirst() else {
            pumping = false
            if waiting?.isEmpty == true { waiting = nil }
            return nil
        }
        active += 1
        return node.element
    }
}
