/// Streams of any number and types, joined to results: what `combineLatest` and `zip` are made of.
final class Combine<Result>: Source<Result> {
    private let prepare: (CombineSink<Result>) -> () throws -> Result

    /// `prepare` names the inputs to the sink, in order, and gives the closure that joins what they have in buffer.
    init(_ prepare: @escaping (CombineSink<Result>) -> () throws -> Result) { self.prepare = prepare }

    override func run(_ downstream: Sink<Result>) {
        let sink = CombineSink(into: downstream)
        sink.begin(prepare(sink))
    }
}

/// The middle of `combineLatest` and `zip`: joins when every input has something in buffer.
final class CombineSink<Result>: MultiInputSink<Result> {
    // Written before the first input is subscribed to.
    private var makeResult: (() throws -> Result)?
    private var subscribeActions: [() -> Void] = []
    private var buffers: [AnyCombineBuffer] = []
    private var endsEarly = false
    /// Whether a collection without streams gives one result. Set before `begin`.
    var emitsForNoInputs = false
    // Touched inside the drain only.
    private var ended = 0

    /// Names an input. It is subscribed to by `begin`.
    func input<Element>(_ stream: Observable<Element>, _ mode: CombineMode) -> CombineBuffer<Element> {
        let buffer: CombineBuffer<Element> = mode == .latest ? LatestBuffer() : QueueBuffer()
        let input = CombineInput(of: self, buffer)
        buffers.append(buffer)
        endsEarly = mode.endsEarly
        subscribeActions.append { self.subscribe(to: stream.source, with: input) }
        return buffer
    }

    /// Subscribes to the inputs in order. Without any the stream completes, after one result if `emitsForNoInputs`.
    func begin(_ makeResult: @escaping () throws -> Result) {
        self.makeResult = makeResult
        let subscribeActions = subscribeActions
        self.subscribeActions = []
        if subscribeActions.isEmpty {
            if emitsForNoInputs { inputStored() }
            finish()
        }
        for subscribe in subscribeActions where isLive { subscribe() }
    }

    /// An input has something new in buffer.
    fileprivate func inputStored() {
        for buffer in buffers where buffer.isEmpty {
            // Nothing can be joined any more when all the other inputs ended, one of them with nothing in buffer.
            if endsEarly, ended == buffers.count - 1 { finish() }
            return
        }
        do {
            if let makeResult { forward(try makeResult()) }
        } catch {
            fail(error)
        }
    }

    fileprivate func inputEnded() {
        ended += 1
        if ended == buffers.count { finish() }
    }
}

/// The subscriber of one input.
private final class CombineInput<Element, Result>: SerialSink<Element> {
    private let sink: CombineSink<Result>
    private let buffer: CombineBuffer<Element>

    init(of sink: CombineSink<Result>, _ buffer: CombineBuffer<Element>) {
        self.sink = sink
        self.buffer = buffer
        super.init(sink.drain)
    }

    override func receive(_ value: Element) {
        guard isLive else { return }
        buffer.store(value)
        sink.inputStored()
    }

    override func receiveError(_ error: any Error) { if isLive { sink.fail(error) } }

    override func receiveCompleted() {
        guard markStopped() else { return }
        sink.removeInput(self)
        sink.inputEnded()
    }
}
