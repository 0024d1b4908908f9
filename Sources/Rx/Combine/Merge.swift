extension ObservableType where Element: ObservableConvertibleType {
    /// Emits the elements of all inner streams as they arrive.
    ///
    /// The result completes when the outer and all inner streams have completed, and fails with the first error.
    public func merge() -> Observable<Element.Element> {
        Observable(Flatten(asObservable().source, streams { $0 }) { MergeSink(limit: .max, into: $0) })
    }

    /// Emits the elements of at most `maxConcurrent` inner streams at a time. Later streams wait in order.
    ///
    /// The result completes when the outer and all inner streams have completed, and fails with the first error. A
    /// number below 1 traps.
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        precondition(maxConcurrent > 0, "merge: maxConcurrent must be at least 1.")
        return Observable(
            Flatten(asObservable().source, streams { $0 }) { MergeSink(limit: maxConcurrent, into: $0) })
    }

    /// Emits the elements of the inner streams, one stream after the other in their order.
    ///
    /// The result completes when the outer and all inner streams have completed, and fails with the first error.
    public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

extension ObservableType {
    /// Emits the elements of all streams as they arrive.
    ///
    /// The result completes when all streams have completed, or at subscription if there is no stream. It fails with
    /// the first error.
    public static func merge<Streams: Collection>(_ sources: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        merge(Array(sources))
    }

    /// Emits the elements of all streams as they arrive.
    ///
    /// The result completes when all streams have completed, or at subscription if there is no stream. It fails with
    /// the first error.
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> { merge(sources) }

    /// Emits the elements of all streams as they arrive.
    ///
    /// The result completes when all streams have completed, or at subscription if there is no stream. It fails with
    /// the first error.
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
        let sources = sources.map(\.source)
        return Observable(MultiInputSource { MergeSink(limit: .max, into: $0).merge(sources) })
    }
}

/// A sink that forwards at most `limit` inner streams at a time. Further streams wait or are dropped.
final class MergeSink<Element>: FlattenSink<Element> {
    private let limit: Int
    // `lock` guards the fields below.
    private let lock = Lock()
    private var active = 0
    private var outerEnded = false
    private var isSubscribing = false
    // The queue is created when the first stream has to wait, because usually no stream waits.
    private var waiting: FIFOQueue<Observable<Element>>?

    init(limit: Int, dropsExcess: Bool = false, into downstream: Sink<Element>) {
        self.limit = limit
        super.init(into: downstream)
        self.dropsExcess = dropsExcess
    }

    override var isFull: Bool { lock.withLock { active >= limit } }

    override func admit(_ stream: Observable<Element>) {
        let starts = lock.withLock { () -> Bool in
            if active < limit, waiting == nil {
                active += 1
                return true
            }
            enqueue(stream)
            return false
        }
        if starts { subscribe(to: stream) } else { subscribeToWaiting() }
    }

    override func outerCompleted() {
        if lock.withLock({ setOuterEnded() }) { finish() }
    }

    /// Subscribes to the streams of a `merge` without an outer stream.
    func merge(_ sources: [Source<Element>]) {
        let ends = lock.withLock { () -> Bool in
            active = sources.count
            return setOuterEnded()
        }
        if ends { finish() }
        for source in sources where isLive { subscribe(to: source, with: InnerSink(of: self)) }
    }

    @inline(__always)
    private func subscribe(to stream: Observable<Element>) {
        if forwardOnlyElement(of: stream) {
            innerEnded { sink in sink.drain.perform(on: sink) { $0.finish() } }
        } else {
            subscribeToInner(stream)
        }
    }

    @inline(never)
    private func subscribeToInner(_ stream: Observable<Element>) {
        if isLive { subscribe(to: stream.source, with: InnerSink(of: self)) }
    }

    override func innerCompleted(_ inner: SubscriptionNode) {
        removeInput(inner)
        innerEnded { $0.finish() }
    }

    @inline(__always)
    private func innerEnded(_ end: (MergeSink<Element>) -> Void) {
        var hasWaiting = false
        let ends = lock.withLock { () -> Bool in
            active -= 1
            hasWaiting = waiting != nil
            return isDone
        }
        if ends { end(self) } else if hasWaiting { subscribeToWaiting() }
    }

    // A loop instead of a recursion, because a thousand waiting streams may each complete at subscription.
    private func subscribeToWaiting() {
        guard lock.withLock({ beginSubscribing() }) else { return }
        while isLive, let next = lock.withLock({ takeNext() }) { subscribe(to: next) }
        if lock.withLock({ isDone }) { drain.perform(on: self) { $0.finish() } }
    }

    // MARK: Under the lock

    @inline(never)
    private func enqueue(_ stream: Observable<Element>) {
        let queue = waiting ?? FIFOQueue()
        queue.append(stream)
        waiting = queue
    }

    private var isDone: Bool { outerEnded && active == 0 && waiting == nil }

    private func setOuterEnded() -> Bool {
        outerEnded = true
        return isDone
    }

    private func beginSubscribing() -> Bool {
        if isSubscribing { return false }
        isSubscribing = true
        return true
    }

    /// Removes and returns the next stream that may start; nil if there is none.
    ///
    /// After nil, the end of an inner stream calls `subscribeToWaiting` again.
    private func takeNext() -> Observable<Element>? {
        guard active < limit, let waiting, !waiting.isEmpty else {
            isSubscribing = false
            if waiting?.isEmpty == true { waiting = nil }
            return nil
        }
        active += 1
        return waiting.removeFirst()
    }
}
