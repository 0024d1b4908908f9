/// How a stream starts for one subscriber. Each operator is one subclass with its own sinks.
///
/// The hierarchy is internal and typed by the element, so an event passes from sink to sink by one virtual call: no
/// `Event` is built, no closure is chained and no metadata is looked up.
@usableFromInline
class Source<Element> {
    /// Starts the stream for the sink. The base class is the stream that never says anything.
    func run(_ sink: Sink<Element>) {}

    /// `run`, with what `CurrentThreadScheduler` was given meanwhile done before the outermost call returns.
    ///
    /// Streams that schedule nothing by themselves override this with a plain `run`.
    func connect(_ sink: Sink<Element>) {
        if Trampoline.enter() {
            run(sink)
            Trampoline.drain()
        } else {
            run(sink)
        }
    }

    /// For a stream that has one element at hand, as `just`: gives it and is complete, without a subscription.
    ///
    /// False, and nothing given, for any other stream. It saves operators like `flatMap` a sink for each element.
    func emitOnlyElement(to sink: Sink<Element>) -> Bool { false }

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }
}
