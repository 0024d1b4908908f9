extension ObservableType {
    /// Whichever of the two streams says something first; the other is given up.
    public func amb<Stream: ObservableType>(_ right: Stream) -> Observable<Element> where Stream.Element == Element {
        Observable(Amb([asObservable().source, right.asObservable().source]))
    }

    /// Whichever of the streams says something first; the others are given up. Of no streams none ever says anything.
    public static func amb<Streams: Sequence>(_ sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Amb(sequence.map(\.source)))
    }
}

private final class Amb<Element>: Source<Element> {
    private let sources: [Source<Element>]
    init(_ sources: [Source<Element>]) { self.sources = sources }

    override func run(_ downstream: Sink<Element>) {
        let sink = AmbSink(into: downstream)
        let inputsToStop = sources.map { _ in AmbInput(of: sink) }
        sink.inputsToStop = inputsToStop.map { AmbInput.WeakInput(input: $0) }
        // Outside the drain: one that takes its time at subscription must not hold back the others.
        for (source, input) in zip(sources, inputsToStop) where sink.isLive && input.isLive {
            sink.subscribe(to: source, with: input)
        }
    }

    private final class AmbSink: MultiInputSink<Element> {
        // Both are touched inside the drain only, and before the first subscription. The sink does not hold who holds it.
        weak var winner: AmbInput?
        var inputsToStop: [AmbInput.WeakInput] = []
    }

    private final class AmbInput: SerialSink<Element> {
        struct WeakInput { weak var input: AmbInput? }

        private let sink: AmbSink

        init(of sink: AmbSink) {
            self.sink = sink
            super.init(sink.drain)
        }

        private func claimWin() -> Bool {
            if sink.winner == nil {
                sink.winner = self
                let others = sink.inputsToStop
                sink.inputsToStop = []
                for case let other? in others.map(\.input) where other !== self { sink.removeInput(other) }
            }
            return sink.winner === self && isLive
        }

        override func receive(_ value: Element) { if claimWin() { sink.forward(value) } }
        override func receiveError(_ error: any Error) { if claimWin() { sink.fail(error) } }
        override func receiveCompleted() { if claimWin() { sink.finish() } }
    }
}
