/// A stream with a promise on its shape: see `Single`, `Maybe` and `Completable`.
public struct PrimitiveSequence<Trait, Element> {
    let stream: Observable<Element>

    /// Takes the stream at its word.
    init(raw stream: Observable<Element>) { self.stream = stream }
}

// Guard: that of the stream.
extension PrimitiveSequence: Sendable where Element: Sendable {}

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

extension PrimitiveSequence {
    /// A sequence that is made at each subscription; a throwing factory is its error.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.deferred { try observableFactory().stream })
    }

    /// The sequence that much later; an error comes at once.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.delay(dueTime, scheduler: scheduler))
    }

    /// The sequence, subscribed to that much later.
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// The sequence, delivered on the scheduler.
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.observe(on: scheduler))
    }

    /// The sequence, subscribed to and disposed of on the scheduler.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.subscribe(on: scheduler))
    }

    /// The sequence, failing with `RxError.timeout` when nothing came for that long.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.timeout(dueTime, scheduler: scheduler))
    }

    /// The sequence, given up for the other one when nothing came for that long.
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.timeout(dueTime, other: other.stream, scheduler: scheduler))
    }

    /// The sequence, subscribed to again each time it fails.
    public func retry() -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: stream.retry()) }

    /// The sequence, subscribed to at most that many times in all.
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(maxAttemptCount))
    }

    /// The sequence, subscribed to again each time the handler's stream sends an element.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(when: notificationHandler))
    }

    /// The sequence; if it fails, what the handler makes of the error.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.catch { try handler($0).stream })
    }

    /// A sequence with a resource that is made at subscription and disposed of at the end.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.using(resourceFactory) { try primitiveSequenceFactory($0).stream })
    }
}

extension ObservableType {
    /// The stream as a `Single`: fails with `RxError.noElements` or `.moreThanOneElement` if it is none.
    public func asSingle() -> Single<Element> { Single(raw: Observable(Only(asObservable().source, needsOne: true))) }

    /// The stream as a `Maybe`: fails with `RxError.moreThanOneElement` if it is none.
    public func asMaybe() -> Maybe<Element> { Maybe(raw: Observable(Only(asObservable().source, needsOne: false))) }
}

extension ObservableType where Element == Never {
    /// The stream as a `Completable`.
    public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}

/// Sends its one element together with the good end.
private final class Only<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let needsOne: Bool

    init(_ upstream: Source<Element>, needsOne: Bool) {
        self.upstream = upstream
        self.needsOne = needsOne
    }

    override func run(_ sink: Sink<Element>) { upstream.run(OnlySink(needsOne, into: sink)) }
}

private final class OnlySink<Element>: Pipe<Element, Element> {
    private let needsOne: Bool
    private var found: Element?

    init(_ needsOne: Bool, into downstream: Sink<Element>) {
        self.needsOne = needsOne
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        if found == nil { found = value } else { fail(RxError.moreThanOneElement) }
    }

    override func completed() {
        if let found {
            forward(found)
        } else if needsOne {
            return fail(RxError.noElements)
        }
        finish()
    }
}
