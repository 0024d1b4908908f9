public import Rx

// This file declares the names that operators had before RxSwift 6.

extension ObservableType {
    /// The former name of `observe(on:)`.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> { observe(on: scheduler) }

    /// The former name of `subscribe(on:)`.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }
}

extension ObservableType {
    /// The former name of `catch(_:)`.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public func catchError(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        `catch`(handler)
    }

    /// The former name of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public func catchErrorJustReturn(_ element: Element) -> Observable<Element> { catchAndReturn(element) }

    /// The former name of `catch(sequence:)`.
    @available(*, deprecated, renamed: "catch(sequence:)")
    public static func catchError<Streams: Sequence>(_ sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        `catch`(sequence: sequence)
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Trigger: ObservableType, Failure: Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Trigger: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }
}

extension ObservableType {
    /// The former name of `element(at:)`.
    @available(*, deprecated, renamed: "element(at:)")
    public func elementAt(_ index: Int) -> Observable<Element> { element(at: index) }

    /// The former name of `skip(while:)`.
    @available(*, deprecated, renamed: "skip(while:)")
    @preconcurrency
    public func skipWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        skip(while: predicate)
    }

    /// The former name of `skip(until:)`.
    @available(*, deprecated, renamed: "skip(until:)")
    public func skipUntil<Other: ObservableType>(_ other: Other) -> Observable<Element> { skip(until: other) }

    /// The former name of `take(while:)`.
    @available(*, deprecated, renamed: "take(while:)")
    @preconcurrency
    public func takeWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate)
    }

    /// The former name of `take(until:)`.
    @available(*, deprecated, renamed: "take(until:)")
    public func takeUntil<Other: ObservableType>(_ other: Other) -> Observable<Element> { take(until: other) }

    /// The former name of `take(until:behavior:)`.
    @available(*, deprecated, renamed: "take(until:behavior:)")
    @preconcurrency
    public func takeUntil(
        _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(until: predicate, behavior: behavior)
    }

    /// The former name of `take(for:scheduler:)`.
    @available(*, deprecated, renamed: "take(for:scheduler:)")
    public func take(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: duration, scheduler: scheduler)
    }
}

extension ObservableType {
    /// The former name of `from(optional:)`.
    @available(*, deprecated, renamed: "from(optional:)")
    @_disfavoredOverload
    public static func from(_ optional: Element?) -> Observable<Element> { from(optional: optional) }

    /// The former name of `from(optional:scheduler:)`.
    @available(*, deprecated, renamed: "from(optional:scheduler:)")
    @_disfavoredOverload
    public static func from(_ optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from(optional: optional, scheduler: scheduler)
    }
}

extension ObservableType {
    /// Shares one subscription to the stream among all subscribers.
    ///
    /// Late subscribers receive the last elements, even after the end.
    @available(*, deprecated, message: "Use share(replay:scope:) with the scope .forever instead.")
    public func shareReplay(_ bufferSize: Int) -> Observable<Element> { share(replay: bufferSize, scope: .forever) }

    /// Shares one subscription to the stream among all subscribers.
    ///
    /// Late subscribers receive the last element. After the end, a new subscriber starts the stream again.
    @available(*, deprecated, message: "Use share(replay: 1) instead.")
    public func shareReplayLatestWhileConnected() -> Observable<Element> { share(replay: 1, scope: .whileConnected) }
}

extension Disposable {
    /// The former name of `disposed(by:)`.
    @available(*, deprecated, renamed: "disposed(by:)")
    public func addDisposableTo(_ bag: DisposeBag) { disposed(by: bag) }
}

extension ObservableType {
    /// Transforms each element with its index.
    @available(*, deprecated, message: "Use enumerated().map instead.")
    @preconcurrency
    public func mapWithIndex<Result>(
        _ selector: @escaping @Sendable (Element, Int) throws -> Result
    ) -> Observable<Result> {
        enumerated().map { try selector($0.element, $0.index) }
    }

    /// Emits the elements of the inner streams that the selector returns for each element and its index.
    @available(*, deprecated, message: "Use enumerated().flatMap instead.")
    @preconcurrency
    public func flatMapWithIndex<Output, Inner: ObservableConvertibleType<Output> & SendableMetatype>(
        _ selector: @escaping @Sendable (Element, Int) throws -> Inner
    ) -> Observable<Output> {
        enumerated().flatMap { try selector($0.element, $0.index) }
    }

    /// Skips elements as long as the predicate is true for the element and its index.
    @available(*, deprecated, message: "Use enumerated().skip(while:).map instead.")
    @preconcurrency
    public func skipWhileWithIndex(
        _ predicate: @escaping @Sendable (Element, Int) throws -> Bool
    ) -> Observable<Element> {
        enumerated().skip(while: { try predicate($0.element, $0.index) }).map { $0.element }
    }

    /// Emits elements as long as the predicate is true for the element and its index, then completes.
    @available(*, deprecated, message: "Use enumerated().take(while:).map instead.")
    @preconcurrency
    public func takeWhileWithIndex(
        _ predicate: @escaping @Sendable (Element, Int) throws -> Bool
    ) -> Observable<Element> {
        enumerated().take(while: { try predicate($0.element, $0.index) }).map { $0.element }
    }
}
