/// The middle of an operator that sends streams: what `window` and `groupBy` have in common.
///
/// Its source is sourceTeardown as long as the outer subscription or the one to any inner stream lasts.
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

    /// Subscribes the source for as long as somebody wants it.
    final func keep<Input>(_ source: Source<Input>, with input: Sink<Input>) {
        sourceTeardown.add(input)
        source.connect(input)
    }

    /// An inner stream fed by the given core.
    final func stream<Element>(of core: SubjectCore<Element>) -> Observable<Element> {
        Observable(InnerStream(core, sourceUsers))
    }
}

/// An inner stream: each subscription to it is one more reason to keep the source.
private final class InnerStream<Element>: Source<Element> {
    private let core: SubjectCore<Element>
    private let sourceUsers: RefCountDisposable

    init(_ core: SubjectCore<Element>, _ sourceUsers: RefCountDisposable) {
        self.core = core
        self.sourceUsers = sourceUsers
    }

    override func connect(_ sink: Sink<Element>) { run(sink) }
    override func run(_ downstream: Sink<Element>) {
        core.run(InnerStreamForwarder(sourceUsers.retain(), into: downstream))
    }
}

private final class InnerStreamForwarder<Element>: SingleInputSink<Element, Element> {
    private let reason: any Disposable

    init(_ reason: any Disposable, into downstream: Sink<Element>) {
        self.reason = reason
        super.init(into: downstream)
    }

    override func next(_ value: Element) { forward(value) }

    override func dispose() {
        reason.dispose()
        super.dispose()
    }
}
