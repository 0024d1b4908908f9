extension ObservableType {
    /// Creates a cold stream from a closure that runs for each subscription and sends the events.
    ///
    /// The closure receives an observer that may be called from any thread. The observer delivers one event at a time
    /// and ignores events after the end. The disposable that the closure returns is disposed of at the end of the
    /// stream or when the subscription is disposed of.
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable(Create(subscribe))
    }

    /// Creates a cold stream that calls the factory at each subscription and forwards the returned stream.
    ///
    /// If the factory throws, the stream fails with that error.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Observable(Deferred(observableFactory))
    }

    /// Creates a cold stream with a resource that exists as long as the subscription.
    ///
    /// Each subscription creates the resource. The resource is disposed of at the end of the stream or with the
    /// subscription. If a factory throws, the stream fails with that error.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Observable(
            MultiInputSource { downstream in
                var resource: Resource?
                do {
                    let created = try resourceFactory()
                    resource = created
                    let source = try observableFactory(created).source
                    let sink = UsingSink(created, into: downstream)
                    sink.attachToDownstream()
                    source.connect(sink)
                } catch {
                    // Sends the error through a `UsingSink`, so that the resource is disposed of after the error, as at
                    // any other end.
                    let sink = UsingSink<Element>(resource ?? Disposables.create(), into: downstream)
                    sink.attachToDownstream()
                    sink.fail(error)
                }
            })
    }
}

private final class Create<Element>: Source<Element> {
    private let subscribe: @Sendable (AnyObserver<Element>) -> any Disposable
    init(_ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) { self.subscribe = subscribe }

    override func run(_ sink: Sink<Element>) {
        let entry = CreateSink(of: "`create`", into: sink)
        entry.attach(subscribe(AnyObserver(entry)))
    }
}

private final class Deferred<Element>: Source<Element> {
    private let factory: @Sendable () throws -> Observable<Element>
    init(_ factory: @escaping @Sendable () throws -> Observable<Element>) { self.factory = factory }

    override func run(_ sink: Sink<Element>) {
        do {
            let source = try factory().source
            let entry = ForwardingSink(into: sink)
            entry.attachToDownstream()
            source.connect(entry)
        } catch {
            sink.error(error)
        }
    }
}

/// The source of a stream of a user's own type, which is not an `Observable`.
final class ExternalSource<Stream: ObservableType>: Source<Stream.Element>, DisposalSchedulable {
    private let stream: Stream
    private let scheduler: (any ImmediateSchedulerType)?

    init(_ stream: Stream, disposedOn scheduler: (any ImmediateSchedulerType)? = nil) {
        self.stream = stream
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Stream.Element>) {
        let entry = CreateSink(of: "a stream that is no `Observable` itself", into: sink)
        let subscription = stream.subscribe(AnyObserver(entry))
        if let scheduler {
            entry.attach(ScheduledDisposable(scheduler: scheduler, disposable: subscription))
        } else {
            entry.attach(subscription)
        }
    }

    func disposed(on scheduler: any ImmediateSchedulerType) -> Source<Stream.Element> {
        ExternalSource(stream, disposedOn: scheduler)
    }
}

/// A source that can dispose of its subscriptions on a scheduler, even after the end of the stream.
///
/// `subscribe(on:)` needs this protocol for streams of a user's own type, because such a stream can observe on which
/// scheduler it is disposed of.
protocol DisposalSchedulable<Element> {
    associatedtype Element
    func disposed(on scheduler: any ImmediateSchedulerType) -> Source<Element>
}

/// The sink behind the observer of `create`. It ignores events that the closure sends after the end.
private final class CreateSink<Element>: SerialSink<Element> {
    private let source: StaticString
    private let downstream: Sink<Element>
    // Used inside the serial drain only.
    private var ended = false

    init(of source: StaticString, into downstream: Sink<Element>) {
        self.source = source
        self.downstream = downstream
        super.init(SerialDrain())
        downstream.attach(self)
    }

    override func receive(_ value: Element) {
        if ended { return Hooks.reportEventAfterEnd("an element", toObserverOf: source) }
        if isLive { downstream.next(value) }
    }

    override func receiveError(_ error: any Error) {
        if ended { return Hooks.reportEventAfterEnd("an error", toObserverOf: source) }
        guard isLive else { return }
        ended = true
        downstream.error(error)
        dispose()
    }

    override func receiveCompleted() {
        if ended { return Hooks.reportEventAfterEnd("a completion", toObserverOf: source) }
        guard isLive else { return }
        ended = true
        downstream.completed()
        dispose()
    }
}

private final class UsingSink<Element>: SingleInputSink<Element, Element> {
    private let resource: any Disposable

    init(_ resource: any Disposable, into downstream: Sink<Element>) {
        self.resource = resource
        super.init(into: downstream)
    }

    override func next(_ value: Element) { forward(value) }

    override func dispose() {
        if markDisposed() { resource.dispose() }
    }
}
