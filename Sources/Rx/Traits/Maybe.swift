/// The shape of a `Maybe`.
public enum MaybeTrait: Sendable {}

/// A stream of one element or none, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// How a `Maybe` ends.
@frozen
public enum MaybeEvent<Element> {
    /// With an element.
    case success(Element)
    /// With an error.
    case error(any Error)
    /// Without an element.
    case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// The closure that tells how a `Maybe` ended.
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// A `Maybe` made by a closure that is run for each subscription and tells the outcome once, from any thread.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> Maybe<Element> {
        Maybe(
            raw: Observable<Element>.create { observer in
                let target = Ferry(observer)
                return subscribe { outcome in
                    switch outcome {
                    case .success(let element):
                        target.value.onNext(element)
                        target.value.onCompleted()
                    case .error(let error): target.value.onError(error)
                    case .completed: target.value.onCompleted()
                    }
                }
            })
    }

    /// Hands the outcome to the closure.
    @preconcurrency
    public func subscribe(_ observer: @escaping MaybeObserver) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) })
    }

    /// Hands the outcome to one of the closures; `onDisposed` is called once, after it or after disposal.
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let outcome = MaybeOutcome(onSuccess, onCompleted)
        return primitiveSequence.stream.subscribe(
            onNext: { outcome.succeed($0) }, onError: onError, onCompleted: { outcome.complete() },
            onDisposed: onDisposed)
    }

    /// A `Maybe` of the element.
    public static func just(_ element: Element) -> Maybe<Element> { Maybe(raw: .just(element)) }

    /// A `Maybe` that fails.
    public static func error(_ error: any Error) -> Maybe<Element> { Maybe(raw: .error(error)) }

    /// A `Maybe` that never ends.
    public static func never() -> Maybe<Element> { Maybe(raw: .never()) }

    /// A `Maybe` without an element.
    public static func empty() -> Maybe<Element> { Maybe(raw: .empty()) }

    /// The element transformed.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.stream.map(transform))
    }

    /// The element if the predicate holds.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.stream.filter(predicate))
    }

    /// The `Maybe` made of the element.
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The element, or the one given if there is none.
    public func ifEmpty(default: Element) -> Single<Element> {
        Single(raw: primitiveSequence.stream.ifEmpty(default: `default`))
    }

    /// The element, or the `Single` given if there is none.
    public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        Single(raw: primitiveSequence.stream.ifEmpty(switchTo: other.stream))
    }

    /// The element; an empty `Maybe` fails with `RxError.noElements`.
    public func asSingle() -> Single<Element> { primitiveSequence.stream.asSingle() }

    /// Only the end of it.
    public func asCompletable() -> Completable { Completable(raw: primitiveSequence.stream.ignoreElements()) }
}
