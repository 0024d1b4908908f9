/// How the elements of several streams are combined.
enum CombineMode {
    /// Combines the latest elements whenever an element arrives: `combineLatest`.
    case latest
    /// Combines elements of the same index until all streams complete: `zip` of two to eight streams.
    case pairwise
    /// As `pairwise`, but ends at an element that can no longer be combined: `zip` of a collection.
    case pairwiseWhilePossible

    /// Whether an element that cannot be combined, because all other streams have ended, ends the result.
    var endsEarly: Bool { self != .pairwise }
}

/// The source of `combineLatest` and `zip`, for any number and types of streams.
final class Combine<Result>: Source<Result> {
    private let prepare: (CombineSink<Result>) -> () throws -> Result

    /// Creates a source. `prepare` adds the inputs to the sink and returns the closure for the results.
    init(_ prepare: @escaping (CombineSink<Result>) -> () throws -> Result) { self.prepare = prepare }

    override func run(_ downstream: Sink<Result>) {
        let sink = CombineSink(into: downstream)
        sink.begin(prepare(sink))
    }
}

/// The sink of `combineLatest` and `zip`. It sends a result when every input has a buffered element.
final class CombineSink<Result>: MultiInputSink<Result> {
    // These fields are written before the first subscription to an input.
    private var makeResult: (() throws -> Result)?
    private var subscribeActions: [() -> Void] = []
    private var addedBuffers: [AnyCombineBuffer] = []
    // Assigned once and never appended to. Otherwise each event would check for exclusive access.
    private var buffers: [AnyCombineBuffer] = []
    private var endsEarly = false
    /// Whether a collection without streams sends one result. Set before `begin`.
    var emitsForNoInputs = false
    // Used inside the operator's serial drain only.
    private var ended = 0

    /// Adds an input, to which `begin` subscribes, and returns its buffer.
    func input<Element>(_ stream: Observable<Element>, _ mode: CombineMode) -> CombineBuffer<Element> {
        let buffer: CombineBuffer<Element> = mode == .latest ? LatestBuffer() : QueueBuffer()
        let input = CombineInput(of: self, buffer)
        addedBuffers.append(buffer)
        endsEarly = mode.endsEarly
        subscribeActions.append { self.subscribe(to: stream.source, with: input) }
        return buffer
    }

    /// Subscribes to the inputs in order.
    ///
    /// Without inputs, the stream completes, after one result if `emitsForNoInputs` is true.
    func begin(_ makeResult: @escaping () throws -> Result) {
        self.makeResult = makeResult
        buffers = addedBuffers
        addedBuffers = []
        let subscribeActions = subscribeActions
        self.subscribeActions = []
        if subscribeActions.isEmpty {
            if emitsForNoInputs { inputStored() }
            finish()
        }
        for subscribe in subscribeActions where isLive { subscribe() }
    }

    /// Sends a result if every buffer has an element. Called after an input has stored an element.
    fileprivate func inputStored() {
        for buffer in buffers where buffer.isEmpty {
            // If all other inputs have ended and a buffer of theirs is empty, no further result is possible.
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

/// One input of `combineLatest` or `zip`.
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

/// The buffered elements of one input. Used inside the drain of its sink only.
class AnyCombineBuffer {
    final var isEmpty = true
}

class CombineBuffer<Element>: AnyCombineBuffer {
    func store(_ value: Element) {}
    /// Returns the element of the next result. Call it only if the buffer is not empty.
    func take() -> Element { preconditionFailure("CombineBuffer.take: a subclass must override it.") }
}

/// A buffer of `combineLatest`: `take` returns the latest element each time.
final class LatestBuffer<Element>: CombineBuffer<Element> {
    private let latest = Box<Element>()

    override func store(_ value: Element) {
        latest.store(value)
        isEmpty = false
    }

    override func take() -> Element { latest.value }
}

/// A buffer of `zip`: `take` returns each element once, in order.
final class QueueBuffer<Element>: CombineBuffer<Element> {
    private let queue = FIFOQueue<Element>()

    override func store(_ value: Element) {
        queue.append(value)
        isEmpty = false
    }

    override func take() -> Element {
        defer { isEmpty = queue.isEmpty }
        return queue.removeFirst()
    }
}
