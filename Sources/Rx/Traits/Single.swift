/// The type that marks a `PrimitiveSequence` as a `Single`.
public enum SingleTrait: Sendable {}

/// A stream of exactly one element, or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// The outcome of a `Single`.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A closure that receives the outcome of a `Single`.
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// Creates a cold `Single` from a closure that runs for each subscription and sends the outcome.
    ///
    /// The closure may send the outcome from any thread; only the first outcome counts. The disposable that the closure
    /// returns is disposed of after the outcome or when the subscription is disposed of.
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

    /// Subscribes and calls the closure with the outcome.
    @preconcurrency
    public func subscribe(_ observer: @escaping SingleObserver) -> any Disposable {
        subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
    }

    /// Subscribes and calls one of the closures with the outcome.
    ///
    /// `onDisposed` is called once, after the outcome or after disposal. An error without `onFailure` is passed to
    /// `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribeForOutcome(
            onSuccess: onSuccess, onError: onFailure, onDisposed: onDisposed)
    }

    /// As `subscribe(onSuccess:…)`; each closure also receives an object, which is held weakly.
    ///
    /// After the object is released, no closure is called.
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

    /// Unavailable. Convert the `Single` first: `asObservable().flatMap { … }`.
    @_disfavoredOverload
    @available(
        *, unavailable, message: "Write asObservable().flatMap: a stream of several elements is not a Single."
    )
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
    ) -> Observable<Result> {
        .never()
    }

    /// Forwards the outcome of the `Maybe` that the selector returns for the element.
    @preconcurrency
    public func flatMapMaybe<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// Calls the closures as `ObservableType.do` does: around the outcome, subscription and disposal.
    ///
    /// If a closure throws, the `Single` fails with that error.
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

    /// Converts the `Single` to a `Maybe`.
    public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.stream) }
}
