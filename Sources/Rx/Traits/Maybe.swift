/// The type that marks a `PrimitiveSequence` as a `Maybe`.
public enum MaybeTrait: Sendable {}

/// A stream of at most one element. It ends with an element, without an element, or with an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// How a `Maybe` ends.
@frozen
public enum MaybeEvent<Element> {
    /// The `Maybe` sent an element.
    case success(Element)
    /// The `Maybe` failed.
    case error(any Error)
    /// The `Maybe` completed without an element.
    case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// A closure that receives the outcome of a `Maybe`.
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// Creates a cold `Maybe` from a closure that runs for each subscription and sends the outcome.
    ///
    /// The closure may send the outcome from any thread; only the first outcome counts. The disposable that the closure
    /// returns is disposed of after the outcome or when the subscription is disposed of.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> Maybe<Element> {
        Maybe(
            raw: Observable<Element>.create { observer in
                let target = UncheckedTransfer(observer)
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

    /// Subscribes and calls the closure with the outcome.
    @preconcurrency
    public func subscribe(_ observer: @escaping MaybeObserver) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) })
    }

    /// Subscribes and calls one of the closures with the outcome.
    ///
    /// `onDisposed` is called once, after the outcome or after disposal. An error without `onError` is passed to
    /// `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.stream.subscribeForOutcome(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// As `subscribe(onSuccess:…)`; each closure also receives an object, which is held weakly.
    ///
    /// After the object is released, no closure is called.
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        subscribe(
            onSuccess: { [weak object] element in if let object { onSuccess?(object, element) } },
            onError: { [weak object] error in if let object { onError?(object, error) } },
            onCompleted: { [weak object] in if let object { onCompleted?(object) } },
            onDisposed: { [weak object] in if let object { onDisposed?(object) } })
    }

    /// Creates a `Maybe` that completes at subscription, without an element.
    public static func empty() -> Maybe<Element> { Maybe(raw: .empty()) }

    /// Calls the closures as `ObservableType.do` does: around the outcome, subscription and disposal.
    ///
    /// If a closure throws, the `Maybe` fails with that error.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Maybe<Element> {
        Maybe(
            raw: primitiveSequence.stream.do(
                onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
                onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
                onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Emits the element of the `Maybe`, or the given element if there is none.
    public func ifEmpty(default: Element) -> Single<Element> {
        Single(raw: primitiveSequence.stream.ifEmpty(default: `default`))
    }

    /// Emits the element of the `Maybe`, or the outcome of the given `Single` if there is none.
    public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        Single(raw: primitiveSequence.stream.ifEmpty(switchTo: other.stream))
    }

    /// Emits the element of this `Maybe`, or the outcome of the other `Maybe` if there is none.
    public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.stream.ifEmpty(switchTo: other.stream))
    }

    /// Converts the `Maybe` to a `Single`. An empty `Maybe` fails with `RxError.noElements`.
    public func asSingle() -> Single<Element> { primitiveSequence.stream.asSingle() }
}
