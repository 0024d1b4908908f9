/// The internal base class of all streams: starts a stream for each subscriber.
///
/// Sources and sinks are generic over the element. So an event passes from sink to sink by one virtual call, without an
/// `Event` value, a chain of closures or a metadata lookup.
@usableFromInline
class Source<Element> {
    /// Starts the stream for the sink. The base class never sends an event.
    func run(_ sink: Sink<Element>) {}

    /// Calls `run`. The outermost call then runs the work that `CurrentThreadScheduler` has queued.
    ///
    /// A stream that schedules nothing itself overrides this method and only calls `run`.
    func connect(_ sink: Sink<Element>) {
        if Trampoline.enter() {
            run(sink)
            Trampoline.drain()
        } else {
            run(sink)
        }
    }

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }
}

/// The source of an operator with one upstream. The closure creates the sink of each subscription.
final class OperatorSource<Input, Output>: Source<Output> {
    private let upstream: Source<Input>
    private let makeSink: (Sink<Output>) -> SingleInputSink<Input, Output>

    init(_ upstream: Source<Input>, _ makeSink: @escaping (Sink<Output>) -> SingleInputSink<Input, Output>) {
        self.upstream = upstream
        self.makeSink = makeSink
    }

    override func run(_ downstream: Sink<Output>) {
        let sink = makeSink(downstream)
        sink.attachToDownstream()
        upstream.run(sink)
    }
}

/// The source of an operator with several inputs or a timer. The closure starts each subscription.
final class MultiInputSource<Output>: Source<Output> {
    private let start: (Sink<Output>) -> Void

    init(_ start: @escaping (Sink<Output>) -> Void) { self.start = start }

    override func run(_ downstream: Sink<Output>) { start(downstream) }
}

extension ObservableType {
    // Common operators pass a closure that captures the type of the sink. Looking up the type at each subscription
    // would cost instructions.

    /// Returns the stream of an operator that is applied to this stream.
    ///
    /// `makeSink` creates the operator's sink for each subscription.
    func lift<Output>(
        _ makeSink: @escaping (Sink<Output>) -> SingleInputSink<Element, Output>
    ) -> Observable<Output> {
        Observable<Output>(OperatorSource(asObservable().source, makeSink))
    }
}
