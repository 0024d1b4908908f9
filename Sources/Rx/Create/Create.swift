import Synchronization

extension ObservableType {
    /// A cold stream made by a closure that is run for each subscription.
    ///
    /// The closure gets an observer that may be called from any thread, one event at a time being delivered; what comes
    /// after the end is ignored. What it returns is disposed of at the end of the stream or of the subscription.
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable(Create(subscribe))
    }

    /// A cold stream that calls the factory at each subscription; a throwing factory is an error of the stream.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Observable(Deferred(observableFactory))
    }

    /// A cold stream that makes a resource at each subscription and disposes of it at the end.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Observable(Using(resourceFactory, observableFactory))
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

/// A stream of a type from elsewhere.
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

/// A stream of a type from elsewhere, which can see when its subscription is undone: `subscribe(on:)` does it on the
/// scheduler even after the end.
protocol DisposalSchedulable<Element> {
    associatedtype Element
    func disposed(on scheduler: any ImmediateSchedulerType) -> Source<Element>
}

/// What the closure of `create` talks to. It keeps the grammar whatever the closure does.
private final class CreateSink<Element>: SerialSink<Element> {
    private let source: StaticString
    private let downstream: Sink<Element>
    // Guarded by the drain.
    private var ended = false

    init(of source: StaticString, into downstream: Sink<Element>) {
        self.source = source
        self.downstream = downstream
        super.init(SerialDrain())
        downstream.attach(self)
    }

    override func receive(_ value: Element) {
        if ended { return Grammar.eventAfterEnd("an element", toObserverOf: source) }
        if isLive { downstream.next(value) }
    }

    override func receiveError(_ error: any Error) {
        if ended { return Grammar.eventAfterEnd("an error", toObserverOf: source) }
        guard isLive else { return }
        ended = true
        downstream.error(error)
        dispose()
    }

    override func receiveCompleted() {
        if ended { return Grammar.eventAfterEnd("a completion", toObserverOf: source) }
        guard isLive else { return }
        ended = true
        downstream.completed()
        dispose()
    }
}

private final class Deferred<Element>: Source<Element> {
    private let factory: @Sendable () throws -> Observable<Element>
    init(_ factory: @escaping @Sendable () throws -> Observable<Element>) { self.factory = factory }

    override func run(_ sink: Sink<Element>) {
        do {
            try factory().source.connect(ForwardingSink(into: sink))
        } catch {
            sink.error(error)
        }
    }
}

/// Passes events on as they are.
final class ForwardingSink<Element>: SingleInputSink<Element, Element> {
    override func next(_ value: Element) { forward(value) }
}

private final class Using<Resource: Disposable, Element>: Source<Element> {
    private let make: @Sendable () throws -> Resource
    private let factory: @Sendable (Resource) throws -> Observable<Element>

    init(
        _ make: @escaping @Sendable () throws -> Resource,
        _ factory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) {
        self.make = make
        self.factory = factory
    }

    override func run(_ sink: Sink<Element>) {
        var resource: Resource?
        do {
            let made = try make()
            resource = made
            let source = try factory(made).source
            source.connect(UsingSink(made, into: sink))
        } catch {
            // A resource whose stream could not be made is given up before the error is told.
            let holder = UsingSink<Element>(resource ?? Disposables.create(), into: sink)
            holder.fail(error)
        }
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
