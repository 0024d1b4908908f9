/// The base class of the sinks of `window` and `groupBy`, which emit hot inner streams.
///
/// The subscription to the source lasts as long as the outer stream or any inner stream has a subscription.
class InnerStreamsSink<Output>: MultiInputSink<Output> {
    final let sourceTeardown: CompositeTeardown
    final let sourceUsers: RefCountDisposable

    override init(into downstream: Sink<Output>) {
        let sourceTeardown = CompositeTeardown()
        let content = UncheckedTransfer(sourceTeardown)
        self.sourceTeardown = sourceTeardown
        sourceUsers = RefCountDisposable(disposable: Disposables.create { content.value.dispose() })
        super.init(into: downstream)
        inputs.add(DisposableTeardown(sourceUsers))
    }

    /// Subscribes to the source as long as the outer stream or an inner stream is used.
    final func subscribeWhileUsed<Input>(to source: Source<Input>, with input: Sink<Input>) {
        sourceTeardown.add(input)
        source.connect(input)
    }

    /// Returns an inner stream of the elements that the core receives.
    final func innerStream<Element>(of core: SubjectCore<Element>) -> Observable<Element> {
        Observable(InnerStream(core, sourceUsers))
    }
}

/// The source of an inner stream. Each subscription to it keeps the source of the operator in use.
private final class InnerStream<Element>: Source<Element> {
    private let core: SubjectCore<Element>
    private let sourceUsers: RefCountDisposable

    init(_ core: SubjectCore<Element>, _ sourceUsers: RefCountDisposable) {
        self.core = core
        self.sourceUsers = sourceUsers
    }

    override func connect(_ sink: Sink<Element>) { run(sink) }

    override func run(_ sink: Sink<Element>) {
        let inner = InnerStreamSink(sourceUsers.retain(), into: sink)
        inner.attachToDownstream()
        core.run(inner)
    }
}

private final class InnerStreamSink<Element>: SingleInputSink<Element, Element> {
    private let sourceUse: any Disposable

    init(_ sourceUse: any Disposable, into downstream: Sink<Element>) {
        self.sourceUse = sourceUse
        super.init(into: downstream)
    }

    override func next(_ value: Element) { forward(value) }

    override func dispose() {
        sourceUse.dispose()
        super.dispose()
    }
}
