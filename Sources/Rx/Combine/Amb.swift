extension ObservableType {
    /// Emits the events of the stream that sends an event first. The other stream is disposed of.
    public func amb<Stream: ObservableType>(_ right: Stream) -> Observable<Element> where Stream.Element == Element {
        Observable<Element>.amb([asObservable(), right.asObservable()])
    }

    /// Emits the events of the stream that sends an event first.
    ///
    /// The other streams are disposed of. Without streams, the result never sends an event.
    public static func amb<Streams: Sequence>(_ sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        let sources = sequence.map(\.source)
        return Observable(
            MultiInputSource { downstream in
                let sink = AmbSink(into: downstream)
                let inputs = sources.map { _ in AmbInput(of: sink) }
                sink.candidates = inputs.map { WeakAmbInput(input: $0) }
                // Subscribes outside the drain, because a stream that takes long at subscription must not delay the
                // others.
                for (source, input) in Swift.zip(sources, inputs) where sink.isLive && input.isLive {
                    sink.subscribe(to: source, with: input)
                }
            })
    }
}

private final class AmbSink<Element>: MultiInputSink<Element> {
    // Used inside the drain only, and before the first subscription. The references are weak, because the inputs retain
    // the sink.
    weak var winner: AmbInput<Element>?
    var candidates: [WeakAmbInput<Element>] = []
}

private struct WeakAmbInput<Element> { weak var input: AmbInput<Element>? }

private final class AmbInput<Element>: SerialSink<Element> {
    private let sink: AmbSink<Element>

    init(of sink: AmbSink<Element>) {
        self.sink = sink
        super.init(sink.drain)
    }

    /// Makes this input the winner if there is none; returns whether it is the winner.
    private func claimWin() -> Bool {
        if sink.winner == nil {
            sink.winner = self
            let candidates = sink.candidates
            sink.candidates = []
            for case let other? in candidates.map(\.input) where other !== self { sink.removeInput(other) }
        }
        return sink.winner === self && isLive
    }

    override func receive(_ value: Element) { if claimWin() { sink.forward(value) } }
    override func receiveError(_ error: any Error) { if claimWin() { sink.fail(error) } }
    override func receiveCompleted() { if claimWin() { sink.finish() } }
}
