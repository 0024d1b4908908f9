public import Dispatch

/// Whether `take(while:)` and `take(until:)` send the element that ends the stream.
public enum TakeBehavior: Sendable {
    /// The element is sent.
    case inclusive
    /// The element is not sent.
    case exclusive
}

extension ObservableType {
    /// Emits the first `count` elements, then completes.
    ///
    /// `take(0)` completes without subscribing; a negative count traps.
    public func take(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "take: the count must not be negative.")
        return count == 0 ? .empty() : lift { TakeSink(count, into: $0) }
    }

    /// Emits elements as long as the predicate is true, then completes.
    ///
    /// If the predicate throws, the stream fails with that error.
    @preconcurrency
    public func take(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate, behavior: .exclusive)
    }

    /// Emits elements as long as the predicate is true, then completes.
    ///
    /// `.inclusive` also emits the first element for which the predicate is false.
    ///
    /// If the predicate throws, the stream fails with that error.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        lift { TakeWhileSink(predicate, behavior, into: $0) }
    }

    /// Emits elements until the predicate is true for an element, then completes.
    ///
    /// `.inclusive` also emits that element.
    ///
    /// If the predicate throws, the stream fails with that error.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        take(while: { !(try predicate($0)) }, behavior: behavior)
    }

    /// Emits elements until the other stream sends an element, then completes.
    ///
    /// An error of either stream is forwarded. If the other stream completes, nothing changes.
    public func take<Other: ObservableType>(until other: Other) -> Observable<Element> {
        let (upstream, other) = (asObservable().source, other.asObservable().source)
        return Observable(
            MultiInputSource { downstream in
                let sink = MultiInputSink(into: downstream)
                sink.subscribe(
                    to: other,
                    with: ClosureInput<Other.Element>(of: sink, onNext: { _ in sink.finish() }, onCompleted: {}))
                sink.subscribe(to: upstream, with: ForwardingInput(of: sink))
            })
    }

    /// Emits elements for the given time after subscription, then completes.
    ///
    /// With a time of zero or less, the result completes as soon as the scheduler runs the timer. With `.never`, the
    /// time does not end.
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = MultiInputSink(into: downstream)
                let timer = OperatorTimer(scheduler)
                sink.inputs.add(timer)
                timer.set(after: duration, in: sink.drain) { sink.finish() }
                sink.subscribe(to: upstream, with: ForwardingInput(of: sink))
            })
    }

    /// Emits the last `count` elements when the stream completes.
    ///
    /// An error drops the elements. A count of 0 sends none; a negative count traps.
    public func takeLast(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "takeLast: the count must not be negative.")
        return lift { TakeLastSink(count, into: $0) }
    }
}

private final class TakeSink<Element>: SingleInputSink<Element, Element> {
    private var left: Int

    init(_ count: Int, into downstream: Sink<Element>) {
        left = count
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        guard left > 0 else { return }
        left -= 1
        forward(value)
        if left == 0 { finish() }
    }
}

private final class TakeWhileSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool
    private let behavior: TakeBehavior
    private var isTaking = true

    init(
        _ predicate: @escaping @Sendable (Element) throws -> Bool, _ behavior: TakeBehavior,
        into downstream: Sink<Element>
    ) {
        self.predicate = predicate
        self.behavior = behavior
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        guard isTaking else { return }
        do {
            isTaking = try predicate(value)
        } catch {
            return fail(error)
        }
        if isTaking || behavior == .inclusive { forward(value) }
        if !isTaking { finish() }
    }
}

private final class TakeLastSink<Element>: SingleInputSink<Element, Element> {
    private let count: Int
    private let last = FIFOQueue<Element>()

    init(_ count: Int, into downstream: Sink<Element>) {
        self.count = count
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        last.append(value)
        if last.count > count { _ = last.removeFirst() }
    }

    override func completed() {
        while !last.isEmpty { forward(last.removeFirst()) }
        finish()
    }
}
