public import Rx

extension PrimitiveSequence {
    /// The former name of `observe(on:)`.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        observe(on: scheduler)
    }

    /// The former name of `subscribe(on:)`.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        subscribe(on: scheduler)
    }

    /// The former name of `catch(_:)`.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public func catchError(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        `catch`(handler)
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Trigger: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// The former name of `retry(when:)` for errors of one type.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Trigger: ObservableType, Failure: Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }
}

extension PrimitiveSequenceType where Trait: ValueTrait {
    /// The former name of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public func catchErrorJustReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        catchAndReturn(element)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The former form of `do(onSuccess:…)`.
    @available(*, deprecated, renamed: "do(onSuccess:onError:onSubscribe:onSubscribed:onDispose:)")
    @_disfavoredOverload
    @preconcurrency
    public func `do`(
        onNext: @escaping @Sendable (Element) throws -> Void,
        onError: (@Sendable (any Error) throws -> Void)? = nil, onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil, onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        `do`(
            onSuccess: onNext, onError: onError, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
            onDispose: onDispose)
    }

    /// The former form of `subscribe(onSuccess:onFailure:onDisposed:)`.
    @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: @escaping @Sendable (any Error) -> Void,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
    }
}

extension Result where Failure == any Error {
    /// The former name of `failure`.
    @available(*, deprecated, renamed: "failure(_:)")
    public static func error(_ error: any Error) -> Result<Success, any Error> { .failure(error) }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The former name of `zip`.
    @available(*, deprecated, renamed: "zip(_:)")
    public static func merge(_ sources: Completable...) -> Completable { zip(sources) }

    /// The former name of `zip`.
    @available(*, deprecated, renamed: "zip(_:)")
    public static func merge<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        zip(sources)
    }
}
