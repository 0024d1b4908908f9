/// The type that marks a `PrimitiveSequence` as a `Completable`.
public enum CompletableTrait: Sendable {}

/// A stream without elements: it completes or fails.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// How a `Completable` ends.
@frozen
public enum CompletableEvent: Sendable {
    /// The `Completable` failed.
    case error(any Error)
    /// The `Completable` completed.
    case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// A closure that receives the outcome of a `Completable`.
    public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

    /// Creates a cold `Completable` from a closure that runs for each subscription and sends the outcome.
    ///
    /// The closure may send the outcome from any thread; only the first outcome counts. The disposable that the closure
    /// returns is disposed of after the outcome or when the subscription is disposed of.
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

    /// Subscribes and calls the closure with the outcome.
    @preconcurrency
    public func subscribe(_ observer: @escaping CompletableObserver) -> any Disposable {
        subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
    }

    /// Subscribes and calls one of the closures with the outcome.
    ///
    /// `onDisposed` is called once, after the outcome or after disposal. An error without `onError` is passed to
    /// `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribe(
            onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// As `subscribe(onCompleted:…)`; each closure also receives an object, which is held weakly.
    ///
    /// After the object is released, no closure is called.
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribe(
            with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Creates a `Completable` that completes at subscription.
    public static func empty() -> Completable { Completable(raw: .empty()) }

    /// Calls the closures as `ObservableType.do` does: around the outcome, subscription and disposal.
    @preconcurrency
    public func `do`(
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        Completable(
            raw: primitiveSequence.stream.do(
                onError: onError, afterError: afterError, onCompleted: onCompleted,
                afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Converts the `Completable` to a `Maybe`, which never sends an element.
    public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.stream) }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes to the second `Completable` after this `Completable` has completed.
    public func andThen(_ second: Completable) -> Completable {
        Completable(raw: then(second.stream))
    }

    /// Subscribes to the `Single` after this `Completable` has completed, and forwards its outcome.
    public func andThen<Result>(_ second: Single<Result>) -> Single<Result> {
        Single(raw: then(second.stream))
    }

    /// Subscribes to the `Maybe` after this `Completable` has completed, and forwards its outcome.
    public func andThen<Result>(_ second: Maybe<Result>) -> Maybe<Result> {
        Maybe(raw: then(second.stream))
    }

    /// Subscribes to the stream after this `Completable` has completed, and forwards its events.
    public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
        then(second)
    }

    private func then<Result>(_ second: Observable<Result>) -> Observable<Result> {
        let (first, second) = (primitiveSequence.stream.source, second.source)
        return Observable<Result>(
            MultiInputSource { downstream in
                let sink = MultiInputSink(into: downstream)
                sink.subscribe(
                    to: first,
                    with: ClosureInput<Never>(
                        of: sink, onNext: { _ in },
                        onCompleted: { sink.subscribe(to: second, with: ForwardingInput(of: sink)) }))
            })
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes to the second `Completable` after this `Completable` has completed.
    public func concat(_ second: Completable) -> Completable { andThen(second) }

    /// Subscribes to one `Completable` after the other. Fails with the first error.
    ///
    /// Each subscription iterates the sequence again and takes the next `Completable` when the previous one completes.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: Observable<Never>.concat(sequence.lazy.map(\.stream)))
    }

    /// Subscribes to one `Completable` after the other. Fails with the first error.
    public static func concat<Sources: Collection>(_ collection: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: Observable<Never>.concat(collection.map(\.stream)))
    }

    /// Subscribes to one `Completable` after the other. Fails with the first error.
    public static func concat(_ sources: Completable...) -> Completable { concat(sources) }

    /// Subscribes to all `Completable`s at once.
    ///
    /// The result completes when all have completed, or at subscription if there is none. It fails with the first
    /// error.
    public static func zip(_ sources: Completable...) -> Completable { zip(sources) }

    /// Subscribes to all `Completable`s at once.
    ///
    /// The result completes when all have completed, or at subscription if there is none. It fails with the first
    /// error.
    public static func zip(_ sources: [Completable]) -> Completable {
        Completable(raw: Observable<Never>.merge(sources.map(\.stream)))
    }

    /// Subscribes to all `Completable`s at once.
    ///
    /// The result completes when all have completed, or at subscription if there is none. It fails with the first
    /// error.
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        zip(Array(sources))
    }
}
