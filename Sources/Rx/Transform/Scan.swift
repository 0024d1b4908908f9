extension ObservableType {
    /// The running result: the seed joined with the first element, that with the second, and so on.
    @preconcurrency
    public func scan<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        scan(into: seed) { state, element in state = try accumulator(state, element) }
    }

    /// The running result, changed in box.
    @preconcurrency
    public func scan<Result>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> Observable<Result> {
        Observable(Scan(asObservable().source, seed, accumulator))
    }

    /// The final result, once the stream completed.
    @preconcurrency
    public func reduce<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        Observable(Reduce(asObservable().source, seed) { state, element in state = try accumulator(state, element) })
    }

    /// The final result, once the stream completed, mapped.
    @preconcurrency
    public func reduce<State, Result>(
        _ seed: State, accumulator: @escaping @Sendable (State, Element) throws -> State,
        mapResult: @escaping @Sendable (State) throws -> Result
    ) -> Observable<Result> {
        reduce(seed, accumulator: accumulator).map(mapResult)
    }

    /// All elements in one array, once the stream completed.
    public func toArray() -> Single<[Element]> {
        Single(raw: Observable(Reduce(asObservable().source, []) { array, element in array.append(element) }))
    }
}

private final class Scan<Input, State>: Source<State> {
    private let upstream: Source<Input>
    private let seed: State
    private let join: @Sendable (inout State, Input) throws -> Void

    init(_ upstream: Source<Input>, _ seed: State, _ join: @escaping @Sendable (inout State, Input) throws -> Void) {
        self.upstream = upstream
        self.seed = seed
        self.join = join
    }

    override func run(_ sink: Sink<State>) { upstream.run(ScanSink(seed, join, into: sink)) }
}

private final class ScanSink<Input, State>: SingleInputSink<Input, State> {
    // Nil only while the closure works on it in box, so that an array grows without being copied.
    private var box: Box<State>?
    // Elements that the closure itself causes: they have their turn after it.
    private var caused: FIFOQueue<Input>?
    private let join: @Sendable (inout State, Input) throws -> Void

    init(
        _ seed: State, _ join: @escaping @Sendable (inout State, Input) throws -> Void, into downstream: Sink<State>
    ) {
        box = Box(seed)
        self.join = join
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        guard let box else { return wait(value) }
        self.box = nil
        do {
            try join(&box.value, value)
        } catch {
            return fail(error)
        }
        let joined = box.value
        self.box = box
        forward(joined)
        if caused != nil { catchUp() }
    }

    @inline(never)
    private func wait(_ value: Input) {
        let queue = caused ?? FIFOQueue()
        caused = queue
        queue.append(value)
    }

    @inline(never)
    private func catchUp() {
        guard let first = caused?.takeFirst() else { return }
        if caused?.isEmpty == true { caused = nil }
        next(first.element)
    }
}

private final class Reduce<Input, State>: Source<State> {
    private let upstream: Source<Input>
    private let seed: State
    private let join: @Sendable (inout State, Input) throws -> Void

    init(_ upstream: Source<Input>, _ seed: State, _ join: @escaping @Sendable (inout State, Input) throws -> Void) {
        self.upstream = upstream
        self.seed = seed
        self.join = join
    }

    override func run(_ sink: Sink<State>) { upstream.run(ReduceSink(seed, join, into: sink)) }
}

private final class ReduceSink<Input, State>: SingleInputSink<Input, State> {
    // Nil only while the closure works on it, so that an array grows in box.
    private var state: State?
    private let join: @Sendable (inout State, Input) throws -> Void

    init(
        _ seed: State, _ join: @escaping @Sendable (inout State, Input) throws -> Void, into downstream: Sink<State>
    ) {
        state = seed
        self.join = join
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        guard var joined = state.take() else { return }
        do {
            try join(&joined, value)
            state = joined
        } catch {
            fail(error)
        }
    }

    override func completed() {
        if let state { forward(state) }
        finish()
    }
}
