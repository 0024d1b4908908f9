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

    override func run(_ sink: Sink<Element>) {
        let hub = AmbHub(into: sink)
        let runners = sources.map { _ in Runner(of: hub) }
        hub.runners = runners.map { Runner.Unheld(runner: $0) }
        // Outside the gate: one that takes its time at subscription must not hold back the others.
        for (source, runner) in zip(sources, runners) where hub.isLive && runner.isLive {
            hub.listen(to: source, with: runner)
        }
    }

    private final class AmbHub: Hub<Element> {
        // Both are touched inside the gate only, and before the first subscription. The hub does not hold who holds it.
        weak var winner: Runner?
        var runners: [Runner.Unheld] = []
    }

    private final class Runner: SerialSink<Element> {
        struct Unheld { weak var runner: Runner? }

        private let hub: AmbHub

        init(of hub: AmbHub) {
            self.hub = hub
            super.init(hub.gate)
        }

        private func wins() -> Bool {
            if hub.winner == nil {
                hub.winner = self
                let others = hub.runners
                hub.runners = []
                for case let other? in others.map(\.runner) where other !== self { hub.drop(other) }
            }
            return hub.winner === self && isLive
        }

        override func receive(_ value: Element) { if wins() { hub.forward(value) } }
        override func receiveError(_ error: any Error) { if wins() { hub.fail(error) } }
        override func receiveCompleted() { if wins() { hub.finish() } }
    }
}
