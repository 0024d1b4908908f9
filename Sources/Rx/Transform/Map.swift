extension ObservableType {
    /// Transforms each element.
    ///
    /// If the transform throws, the stream fails with that error.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
        lift { [sinkType = MapSink<Element, Result>.self] in sinkType.init(transform, into: $0) }
    }

    /// Transforms each element and drops the elements for which the transform returns nil.
    ///
    /// If the transform throws, the stream fails with that error.
    @preconcurrency
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        lift { [sinkType = CompactMapSink<Element, Result>.self] in sinkType.init(transform, into: $0) }
    }

    /// Emits each element with its index, counted from 0.
    public func enumerated() -> Observable<(index: Int, element: Element)> { lift { EnumeratedSink(into: $0) } }
}

private final class MapSink<Input, Output>: SingleInputSink<Input, Output> {
    private let transform: @Sendable (Input) throws -> Output

    required init(_ transform: @escaping @Sendable (Input) throws -> Output, into downstream: Sink<Output>) {
        self.transform = transform
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        do {
            forward(try transform(value))
        } catch {
            fail(error)
        }
    }
}

private final class CompactMapSink<Input, Output>: SingleInputSink<Input, Output> {
    private let transform: @Sendable (Input) throws -> Output?

    required init(_ transform: @escaping @Sendable (Input) throws -> Output?, into downstream: Sink<Output>) {
        self.transform = transform
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        do {
            if let result = try transform(value) { forward(result) }
        } catch {
            fail(error)
        }
    }
}

private final class EnumeratedSink<Element>: SingleInputSink<Element, (index: Int, element: Element)> {
    private var index = 0

    override func next(_ value: Element) {
        // The index increases before the element is forwarded, so that an element that the observer sends gets the next
        // index.
        let current = index
        index += 1
        forward((current, value))
    }
}
