/// A stream with a known number of elements: see `Single`, `Maybe` and `Completable`.
public struct PrimitiveSequence<Trait, Element> {
    let stream: Observable<Element>

    /// Wraps a stream that has the number of elements of the trait.
    init(raw stream: Observable<Element>) { self.stream = stream }
}

extension PrimitiveSequence: Sendable {}

/// The common protocol of `Single`, `Maybe` and `Completable`.
public protocol PrimitiveSequenceType {
    /// The type that marks a `Single`, a `Maybe` or a `Completable`.
    associatedtype Trait
    /// The type of the elements.
    associatedtype Element
    /// The sequence itself.
    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    /// The sequence itself.
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    /// Returns the sequence as an `Observable`.
    public func asObservable() -> Observable<Element> { stream }
}

extension PrimitiveSequenceType {
    /// Creates a sequence that fails at subscription.
    public static func error(_ error: any Error) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// Creates a sequence that never ends.
    public static func never() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .never())
    }
}

extension PrimitiveSequence {
    /// Creates a cold sequence that calls the factory at each subscription and forwards its result.
    ///
    /// If the factory throws, the sequence fails with that error.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.deferred { try observableFactory().stream })
    }

    /// Creates a cold sequence with a resource that exists as long as the subscription.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory:
            @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.using(resourceFactory) { try primitiveSequenceFactory($0).stream })
    }

    /// Prints the subscription, the events and the disposal of the sequence. See `ObservableType.debug`.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: stream.debug(
                identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}

extension PrimitiveSequenceType where Element: FixedWidthInteger {
    /// Creates a sequence that sends 0 after `dueTime`. Zero or less means as soon as the scheduler can.
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable<Element>.timer(dueTime, scheduler: scheduler))
    }
}

extension PrimitiveSequence {
    /// Forwards the sequence and, after an error, the sequence that the handler returns for the error.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.catch { try handler($0).stream })
    }

    /// Subscribes to the sequence again after each error, without a limit.
    public func retry() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry())
    }

    /// Subscribes to the sequence again after an error, at most `maxAttemptCount` times in total.
    ///
    /// A negative count traps.
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(maxAttemptCount))
    }

    /// After an error, subscribes to the sequence again when the handler's stream sends an element.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(when: notificationHandler))
    }

    /// As `retry(when:)` for errors of one type. An error of another type is forwarded at once.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(when: notificationHandler))
    }
}
