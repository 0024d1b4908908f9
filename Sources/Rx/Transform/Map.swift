extension ObservableType {
    /// Each element transformed. A throwing transform is an error of the stream.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
        Observable(Map(asObservable().source, transform))
    }

    /// Each element transformed, without those for which the transform gives nil.
    @preconcurrency
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        Observable(CompactMap(asObservable().source, transform))
    }
}

private final class Map<Input, Output>: Source<Output> {
    private let upstream: Source<Input>
    private let transform: @Sendable (Input) throws -> Output

    init(_ upstream: Source<Input>, _ transform: @escaping @Sendable (Input) throws -> Output) {
        self.upstream = upstream
        self.transform = transform
    }

    override func run(_ sink: Sink<Output>) { upstream.run(MapSink(transform, into: sink)) }
}

private final class MapSink<Input, Output>: SingleInputSink<Input, Output> {
    private let transform: @Sendable (Input) throws -> Output

    init(_ transform: @escaping @Sendable (Input) throws -> Output, into downstream: Sink<Output>) {
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

private final class CompactMap<Input, Output>: Source<Output> {
    private let upstream: Source<Input>
    private let transform: @Sendable (Input) throws -> Output?

    init(_ upstream: Source<Input>, _ transform: @escaping @Sendable (Input) throws -> Output?) {
        self.upstream = upstream
        self.transform = transform
    }

    override func run(_ sink: Sink<Output>) { upstream.run(CompactMapSink(transform, into: sink)) }
}

private final class CompactMapSink<Input, Output>: SingleInputSink<Input, Output> {
    private let transform: @Sendable (Input) throws -> Output?

    init(_ transform: @escaping @Sendable (Input) throws -> Output?, into downstream: Sink<Output>) {
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
