/// Streams of any number and types, joined to results: what `combineLatest` and `zip` are made of.
final class Combine<Result>: Source<Result> {
    private let prepare: (CombineHub<Result>) -> () throws -> Result

    /// `prepare` names the inputs to the hub, in order, and gives the closure that joins what they have in store.
    init(_ prepare: @escaping (CombineHub<Result>) -> () throws -> Result) { self.prepare = prepare }

    override func run(_ sink: Sink<Result>) {
        let hub = CombineHub(into: sink)
        hub.begin(prepare(hub))
    }
}

/// The middle of `combineLatest` and `zip`: joins when every input has something in store.
final class CombineHub<Result>: Hub<Result> {
    // Written before the first input is subscribed to.
    private var join: (() throws -> Result)?
    private var starts: [() -> Void] = []
    private var stores: [AnyStore] = []
    private var endsEarly = false
    /// Whether a collection without streams gives one result. Set before `begin`.
    var joinsNothing = false
    // Touched inside the gate only.
    private var ended = 0

    /// Names an input. It is subscribed to by `begin`.
    func input<Element>(_ stream: Observable<Element>, _ how: Joining) -> Store<Element> {
        let store: Store<Element> = how == .latest ? LatestStore() : LineStore()
        let input = CombineInput(of: self, store)
        stores.append(store)
        endsEarly = how.endsEarly
        starts.append { self.listen(to: stream.source, with: input) }
        return store
    }

    /// Subscribes to the inputs in order. Without any the stream completes, after one result if `joinsNothing`.
    func begin(_ join: @escaping () throws -> Result) {
        self.join = join
        let starts = starts
        self.starts = []
        if starts.isEmpty {
            if joinsNothing { arrived() }
            finish()
        }
        for start in starts where isLive { start() }
    }

    /// An input has something new in store.
    fileprivate func arrived() {
        for store in stores where store.isEmpty {
            // Nothing can be joined any more when all the other inputs ended, one of them with nothing in store.
            if endsEarly, ended == stores.count - 1 { finish() }
            return
        }
        do {
            if let join { forward(try join()) }
        } catch {
            fail(error)
        }
    }

    fileprivate func inputEnded() {
        ended += 1
        if ended == stores.count { finish() }
    }
}

/// The subscriber of one input.
private final class CombineInput<Element, Result>: SerialSink<Element> {
    private let hub: CombineHub<Result>
    private let store: Store<Element>

    init(of hub: CombineHub<Result>, _ store: Store<Element>) {
        self.hub = hub
        self.store = store
        super.init(hub.gate)
    }

    override func receive(_ value: Element) {
        guard isLive else { return }
        store.put(value)
        hub.arrived()
    }

    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }

    override func receiveCompleted() {
        guard markStopped() else { return }
        hub.drop(self)
        hub.inputEnded()
    }
}
