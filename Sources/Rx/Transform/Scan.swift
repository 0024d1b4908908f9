extension ObservableType {
    /// Emits the result of the accumulator for the previous result and each element.
    ///
    /// The seed itself is not sent. If the accumulator throws, the stream fails with that error.
    @preconcurrency
    public func scan<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        scan(into: seed) { state, element in state = try accumulator(state, element) }
    }

    /// Emits the accumulated result at each element. The accumulator changes the result in place.
    ///
    /// The seed itself is not sent. If the accumulator throws, the stream fails with that error.
    @preconcurrency
    public func scan<Result>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> Observable<Result> {
        lift { ScanSink(seed, accumulator, into: $0) }
    }

    /// Emits the final result when the stream completes. For an empty stream it is the seed.
    ///
    /// If the accumulator throws, the stream fails with that error.
    @preconcurrency
    public func reduce<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        lift { ReduceSink(seed, { state, element in state = try accumulator(state, element) }, into: $0) }
    }

    /// Transforms the final result and emits it when the stream completes.
    ///
    /// If a closure throws, the stream fails with that error.
    @preconcurrency
    public func reduce<State, Result>(
        _ seed: State, accumulator: @escaping @Sendable (State, Element) throws -> State,
        mapResult: @escaping @Sendable (State) throws -> Result
    ) -> Observable<Result> {
        reduce(seed, accumulator: accumulator).map(mapResult)
    }

    /// Emits all elements in one array when the stream completes.
    public func toArray() -> Single<[Element]> {
        Single(raw: lift { ReduceSink([], { array, element in array.append(element) }, into: $0) })
    }
}

private final class ScanSink<Input, State>: SingleInputSink<Input, State> {
    // Nil while the accumulator changes the state in place, so that `next` detects an element that the accumulator
    // itself sends.
    private var box: Box<State>?
    // Elements that the accumulator itself sends. They are processed after it returns.
    private var postponed: FIFOQueue<Input>?
    private let accumulate: @Sendable (inout State, Input) throws -> Void

    init(
        _ seed: State, _ accumulate: @escaping @Sendable (inout State, Input) throws -> Void,
        into downstream: Sink<State>
    ) {
        box = Box(seed)
        self.accumulate = accumulate
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        guard let box else { return postpone(value) }
        self.box = nil
        do {
            try box.update { try accumulate(&$0, value) }
        } catch {
            return fail(error)
        }
        let result = box.value
        self.box = box
        forward(result)
        if postponed != nil { processPostponed() }
    }

    @inline(never)
    private func postpone(_ value: Input) {
        let queue = postponed ?? FIFOQueue()
        postponed = queue
        queue.append(value)
    }

    @inline(never)
    private func processPostponed() {
        guard let postponed, !postponed.isEmpty else { return }
        let first = postponed.removeFirst()
        if postponed.isEmpty { self.postponed = nil }
        next(first)
    }
}

private final class ReduceSink<Input, State>: SingleInputSink<Input, State> {
    // Nil while the accumulator runs: with a single reference to the state, an array grows without a copy.
    private var state: State?
    private let accumulate: @Sendable (inout State, Input) throws -> Void

    init(
        _ seed: State, _ accumulate: @escaping @Sendable (inout State, Input) throws -> Void,
        into downstream: Sink<State>
    ) {
        state = seed
        self.accumulate = accumulate
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        guard var new = state.take() else { return }
        do {
            try accumulate(&new, value)
            state = new
        } catch {
            fail(error)
        }
    }

    override func completed() {
        if let state { forward(state) }
        finish()
    }
}
