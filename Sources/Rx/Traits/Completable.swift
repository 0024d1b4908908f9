/// The shape of a `Completable`.
public enum CompletableTrait: Sendable {}

/// A stream without elements: it completes or fails.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// How a `Completable` ends.
@frozen
public enum CompletableEvent: Sendable {
    /// With an error.
    case error(any Error)
    /// Well.
    case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The closure that tells how a `Completable` ended.
    public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

    /// A `Completable` made by a closure that is run for each subscription and tells the outcome once, from any thread.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
    ) -> Completable {
        Completable(
            raw: Observable<Never>.create { observer in
                subscribe { outcome in
                    switch outcome {
                    case .error(let error): observer.onError(error)
                    case .completed: observer.onCompleted()
                    }
                }
            })
    }

    /// Hands the outcome to the closure.
    @preconcurrency
    public func subscribe(_ observer: @escaping CompletableObserver) -> any Disposable {
        subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
    }

    /// Hands the outcome to one of the closures; `onDisposed` is called once, after it or after disposal.
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// A `Completable` that fails.
    public static func error(_ error: any Error) -> Completable { Completable(raw: .error(error)) }

    /// A `Completable` that never ends.
    public static func never() -> Completable { Completable(raw: .never()) }

    /// A `Completable` that completes at subscription.
    public static func empty() -> Completable { Completable(raw: .empty()) }

    /// The `Completable` itself, with closures run beside it.
    @preconcurrency
    public func `do`(
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        Completable(
            raw: primitiveSequence.stream.do(
                onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// This one, and after it completed the second one.
    public func concat(_ second: Completable) -> Completable { andThen(second) }

    /// All of them, one after the other.
    public static func concat(_ sources: Completable...) -> Completable {
        Completable(raw: Observable<Never>.concat(sources.map(\.stream)))
    }

    /// All of them at once.
    public static func zip(_ sources: Completable...) -> Completable { zip(sources) }

    /// All of them at once.
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: Observable<Never>.merge(sources.map(\.stream)))
    }

    /// This one, and after it completed the second one.
    public func andThen(_ second: Completable) -> Completable {
        Completable(raw: Observable(AndThen(primitiveSequence.stream.source, second.stream.source)))
    }

    /// This one, and after it completed the `Single`.
    public func andThen<Result>(_ second: Single<Result>) -> Single<Result> {
        Single(raw: Observable(AndThen(primitiveSequence.stream.source, second.stream.source)))
    }

    /// This one, and after it completed the `Maybe`.
    public func andThen<Result>(_ second: Maybe<Result>) -> Maybe<Result> {
        Maybe(raw: Observable(AndThen(primitiveSequence.stream.source, second.stream.source)))
    }

    /// This one, and after it completed the stream.
    public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
        Observable(AndThen(primitiveSequence.stream.source, second.source))
    }
}

private final class AndThen<Element>: Source<Element> {
    private let first: Source<Never>
    private let second: Source<Element>

    init(_ first: Source<Never>, _ second: Source<Element>) {
        self.first = first
        self.second = second
    }

    override func run(_ sink: Sink<Element>) {
        let hub = Hub(into: sink)
        let second = second
        hub.listen(
            to: first,
            with: Input<Never>(
                of: hub, onNext: { _ in },
                onCompleted: { hub.listen(to: second, with: HubInput(of: hub)) }))
    }
}
