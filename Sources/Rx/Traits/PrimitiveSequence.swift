/// A stream with a promise on its shape: see `Single`, `Maybe` and `Completable`.
public struct PrimitiveSequence<Trait, Element> {
    let stream: Observable<Element>

    /// Takes the stream at its word.
    init(raw stream: Observable<Element>) { self.stream = stream }
}

extension PrimitiveSequence: Sendable {}

/// What the three shapes have in common.
public protocol PrimitiveSequenceType {
    /// The shape.
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
    /// The stream without the promise.
    public func asObservable() -> Observable<Element> { stream }
}

extension PrimitiveSequenceType {
    /// A sequence that fails at subscription.
    public static func error(_ error: any Error) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// A sequence that never ends.
    public static func never() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .never())
    }
}

extension PrimitiveSequence {
    /// A sequence that is made at each subscription; a throwing factory is its error.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.deferred { try observableFactory().stream })
    }

    /// A sequence with a resource that is made at subscription and disposed of at the end.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory:
            @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.using(resourceFactory) { try primitiveSequenceFactory($0).stream })
    }

    /// The sequence, with each event, the subscription and the disposal printed; see `ObservableType.debug`.
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
    /// A sequence of 0 after `dueTime`; zero and negative times mean at once.
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable<Element>.timer(dueTime, scheduler: scheduler))
    }
}
