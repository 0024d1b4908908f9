/// The middle of an operator that sends streams: what `window` and `groupBy` have in common.
///
/// Its source is kept as long as the outer subscription or the one to any inner stream lasts.
class Nest<Output>: Hub<Output> {
    final let kept: Group
    final let reasons: RefCountDisposable

    override init(into downstream: Sink<Output>) {
        let kept = Group()
        let content = Ferry(kept)
        self.kept = kept
        reasons = RefCountDisposable(disposable: Disposables.create { content.value.dispose() })
        super.init(into: downstream)
        inputs.add(Foreign(reasons))
    }

    /// Subscribes the source for as long as somebody wants it.
    final func keep<Input>(_ source: Source<Input>, with input: Sink<Input>) {
        kept.add(input)
        source.connect(input)
    }

    /// An inner stream fed by the given core.
    final func stream<Element>(of core: SubjectCore<Element>) -> Observable<Element> {
        Observable(Nested(core, reasons))
    }
}

/// An inner stream: each subscription to it is one more reason to keep the source.
private final class Nested<Element>: Source<Element> {
    private let core: SubjectCore<Element>
    private let reasons: RefCountDisposable

    init(_ core: SubjectCore<Element>, _ reasons: RefCountDisposable) {
        self.core = core
        self.reasons = reasons
    }

    override func connect(_ sink: Sink<Element>) { run(sink) }
    override func run(_ sink: Sink<Element>) { core.run(NestedSink(reasons.retain(), into: sink)) }
}

private final class NestedSink<Element>: Pipe<Element, Element> {
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
