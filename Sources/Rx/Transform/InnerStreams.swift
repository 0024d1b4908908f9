/// The sink of an operator that sends hot inner streams: the core of `window` and `groupBy`.
///
/// Its source stays subscribed to as long as the outer stream or any inner stream has a subscription.
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

    /// An inner stream of the elements that the core receives.
    final func innerStream<Element>(of core: SubjectCore<Element>) -> Observable<Element> {
        Observable(InnerStream(core, sourceUsers))
    }
}

/// An inner stream. Each subscription to it counts as a user of the source.
private final class InnerStream<Element>: Source<Element> {
    private let core: SubjectCore<Element>
    private let sourceUsers: RefCountDisposable

    init(_ core: SubjectCore<Element>, _ sourceUsers: RefCountDisposable) {
        self.core = core
        self.sourceUsers = sourceUsers
    }

    override func connect(_ sink: Sink<Element>) { run(sink) }
    override func run(_ sink: Sink<Element>) { core.run(InnerStreamSink(sourceUsers.retain(), into: sink)) }
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
