extension ObservableType {
    /// The events themselves as elements; it completes after the last one and never fails.
    public func materialize() -> Observable<Event<Element>> { Observable(Materialize(asObservable().source)) }
}

extension ObservableType where Element: EventConvertible {
    /// The stream that the events tell of: undoes `materialize`.
    public func dematerialize() -> Observable<Element.Element> { Observable(Dematerialize(asObservable().source)) }
}

private final class Materialize<Element>: Source<Event<Element>> {
    private let upstream: Source<Element>
    init(_ upstream: Source<Element>) { self.upstream = upstream }
    override func run(_ sink: Sink<Event<Element>>) { upstream.run(MaterializeSink(into: sink)) }
}

private final class MaterializeSink<Element>: SingleInputSink<Element, Event<Element>> {
    override func next(_ value: Element) { forward(.next(value)) }

    override func error(_ error: any Error) {
        forward(.error(error))
        finish()
    }

    override func completed() {
        forward(.completed)
        finish()
    }
}

private final class Dematerialize<Input: EventConvertible>: Source<Input.Element> {
    private let upstream: Source<Input>
    init(_ upstream: Source<Input>) { self.upstream = upstream }
    override func run(_ sink: Sink<Input.Element>) { upstream.run(DematerializeSink(into: sink)) }
}

private final class DematerializeSink<Input: EventConvertible>: SingleInputSink<Input, Input.Element> {
    override func next(_ value: Input) {
        switch value.event {
        case .next(let element): forward(element)
        case .error(let error): fail(error)
        case .completed: finish()
        }
    }
}
