extension ObservableType {
    /// Emits the elements for which the predicate is true.
    ///
    /// If the predicate throws, the stream fails with that error.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift { [sinkType = FilterSink<Element>.self] in sinkType.init(predicate, into: $0) }
    }

    /// Drops all elements and forwards only the end of the stream.
    public func ignoreElements() -> Observable<Never> { lift { SingleInputSink<Element, Never>(into: $0) } }
}

private final class FilterSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool

    required init(_ predicate: @escaping @Sendable (Element) throws -> Bool, into downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        do {
            if try predicate(value) { forward(value) }
        } catch {
            fail(error)
        }
    }
}
