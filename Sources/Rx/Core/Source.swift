/// Starts a stream for one subscriber. The root of the internal class hierarchy.
///
/// The hierarchy is typed by the element, so an event passes from sink to sink by one virtual call: no `Event` is
/// created, no closure is chained and no metadata is looked up.
@usableFromInline
class Source<Element> {
    /// Starts the stream for the sink. The base class is the stream that never sends an event.
    func run(_ sink: Sink<Element>) {}

    /// As `run`; the outermost call also does the work that `CurrentThreadScheduler` received meanwhile.
    ///
    /// Streams that schedule nothing themselves override this with a plain `run`.
    func connect(_ sink: Sink<Element>) {
        if Trampoline.enter() {
            run(sink)
            Trampoline.drain()
        } else {
            run(sink)
        }
    }

    /// Sends the element of a stream that has exactly one at hand, such as `just`, without a subscription.
    ///
    /// Other streams send nothing and return false. It saves operators such as `flatMap` a sink for each element.
    func emitOnlyElement(to sink: Sink<Element>) -> Bool { false }

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }
}

/// An operator with one upstream: it stores the upstream and a closure with the operator's arguments.
final class OperatorSource<Input, Output>: Source<Output> {
    private let upstream: Source<Input>
    private let makeSink: (Sink<Output>) -> Sink<Input>

    init(_ upstream: Source<Input>, _ makeSink: @escaping (Sink<Output>) -> Sink<Input>) {
        self.upstream = upstream
        self.makeSink = makeSink
    }

    override func run(_ downstream: Sink<Output>) { upstream.run(makeSink(downstream)) }
}

/// An operator with several inputs, or a timer: a closure subscribes to its inputs.
final class MultiInputSource<Output>: Source<Output> {
    private let start: (Sink<Output>) -> Void

    init(_ start: @escaping (Sink<Output>) -> Void) { self.start = start }

    override func run(_ downstream: Sink<Output>) { start(downstream) }
}

extension ObservableType {
    // Common operators capture the type of their sink: looking it up at each subscription costs instructions.

    /// The stream that an operator's sink makes of this one.
    ///
    /// The closure makes the sink of one subscription.
    func lift<Output>(_ makeSink: @escaping (Sink<Output>) -> Sink<Element>) -> Observable<Output> {
        Observable<Output>(OperatorSource(asObservable().source, makeSink))
    }
}
