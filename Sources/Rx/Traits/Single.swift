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
                let target = Ferry(observer)
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
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribe(onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
    }

    /// A `Single` of the element.
    public static func just(_ element: Element) -> Single<Element> { Single(raw: .just(element)) }

    /// A `Single` that fails.
    public static func error(_ error: any Error) -> Single<Element> { Single(raw: .error(error)) }

    /// A `Single` that never ends.
    public static func never() -> Single<Element> { Single(raw: .never()) }

    /// The element transformed.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Single<Result> {
        Single(raw: primitiveSequence.stream.map(transform))
    }

    /// The element if the predicate holds.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.stream.filter(predicate))
    }

    /// The element transformed, unless the transform gives nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result?) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.stream.compactMap(transform))
    }

    /// The `Single` made of the element.
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        Single(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The `Maybe` made of the element.
    @preconcurrency
    public func flatMapMaybe<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The `Completable` made of the element.
    @preconcurrency
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        Completable(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The `Single` itself, with closures run beside it.
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

    /// The `Single`; if it fails, the element given.
    public func catchAndReturn(_ element: Element) -> Single<Element> {
        Single(raw: primitiveSequence.stream.catchAndReturn(element))
    }

    /// The elements of both joined.
    @preconcurrency
    public static func zip<A, B>(
        _ source1: Single<A>, _ source2: Single<B>, resultSelector: @escaping @Sendable (A, B) throws -> Element
    ) -> Single<Element> {
        Single(raw: Observable.zip(source1.stream, source2.stream, resultSelector: resultSelector))
    }

    /// The same as a `Maybe`.
    public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.stream) }

    /// Only the end of it.
    public func asCompletable() -> Completable { Completable(raw: primitiveSequence.stream.ignoreElements()) }
}
