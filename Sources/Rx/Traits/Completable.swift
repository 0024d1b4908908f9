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
    ///
    /// An error without `onError` goes to `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribe(
            onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// As `subscribe(onCompleted:…)`, with an object held weakly and given to each closure while it lives.
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

    /// A `Completable` that completes at subscription.
    public static func empty() -> Completable { Completable(raw: .empty()) }

    /// The `Completable` itself, with closures run beside it.
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

    /// The same as a `Maybe` without an element.
    public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.stream) }
}
