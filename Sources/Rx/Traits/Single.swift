/// The shape of a `Single`.
public enum SingleTrait: Sendable {}

/// A stream of exactly one element, or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// How a `Single` ends.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The closure that tells how a `Single` ended.
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// A `Single` made by a closure that is run for each subscription and tells the outcome once, from any thread.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
    ) -> Single<Element> {
        Single(
            raw: Observable<Element>.create { observer in
                let target = UncheckedTransfer(observer)
                return subscribe { outcome in
                    switch outcome {
                    case .success(let element):
                        target.value.onNext(element)
                        target.value.onCompleted()
                    case .failure(let error): target.value.onError(error)
                    }
                }
            })
    }

    /// Hands the outcome to the closure.
    @preconcurrency
    public func subscribe(_ observer: @escaping SingleObserver) -> any Disposable {
        subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
    }

    /// Hands the outcome to one of the closures; `onDisposed` is called once, after it or after disposal.
    ///
    /// An error without `onFailure` goes to `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribeForOutcome(
            onSuccess: onSuccess, onError: onFailure, onDisposed: onDisposed)
    }

    /// As `subscribe(onSuccess:…)`, with an object held weakly and given to each closure while it lives.
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        subscribe(
            onSuccess: { [weak object] element in if let object { onSuccess?(object, element) } },
            onFailure: { [weak object] error in if let object { onFailure?(object, error) } },
            onDisposed: { [weak object] in if let object { onDisposed?(object) } })
    }

    /// The `Maybe` made of the element.
    @preconcurrency
    public func flatMapMaybe<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The `Single` itself, with closures run beside it. A throwing closure is an error of the `Single`.
    @preconcurrency
    public func `do`(
        onSuccess: (@Sendable (Element) throws -> Void)? = nil,
        afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        Single(
            raw: primitiveSequence.stream.do(
                onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// The same as a `Maybe`.
    public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.stream) }
}
