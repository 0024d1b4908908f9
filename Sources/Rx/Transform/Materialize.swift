extension ObservableType {
    /// Emits the events of the stream as elements, including the end, then completes. Never fails.
    public func materialize() -> Observable<Event<Element>> { lift { MaterializeSink(into: $0) } }
}

extension ObservableType where Element: EventConvertible {
    /// Converts the elements, which are events, to the events of the result. The inverse of `materialize`.
    public func dematerialize() -> Observable<Element.Element> { lift { DematerializeSink(into: $0) } }
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

private final class DematerializeSink<Input: EventConvertible>: SingleInputSink<Input, Input.Element> {
    override func next(_ value: Input) {
        switch value.event {
        case .next(let element): forward(element)
        case .error(let error): fail(error)
        case .completed: finish()
        }
    }
}
