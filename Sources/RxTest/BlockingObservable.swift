public import Rx

extension ObservableConvertibleType {
    /// The stream for a test that waits for it.
    ///
    /// Each method of the result subscribes and blocks the calling thread. The wait ends when the stream ends, when the
    /// result is known, or after `timeout` seconds of real time with `RxError.timeout`. Without a timeout it may never
    /// end. With zero or less, only events at subscription count. The subscription is disposed of before the method
    /// returns.
    ///
    /// The main thread runs its run loop while it waits, so that work on the main queue runs, for example that of
    /// `MainScheduler`. A wait inside such work is an exception: the main queue runs one piece of work at a time. Other
    /// threads only wait.
    public func toBlocking(timeout: Double? = nil) -> BlockingObservable<Element> {
        precondition(timeout?.isNaN != true, "toBlocking: the timeout must not be NaN.")
        return BlockingObservable(stream: asObservable(), timeout: timeout)
    }

    /// As `toBlocking(timeout:)` with seconds. A negative duration counts as zero.
    public func toBlocking(timeout: Duration) -> BlockingObservable<Element> {
        toBlocking(timeout: timeout.inSeconds)
    }
}

/// A stream for a test that waits for it: see `toBlocking`. Each method subscribes again.
public struct BlockingObservable<Element>: Sendable {
    let stream: Observable<Element>
    let timeout: Double?
}

/// All elements of a stream and its end.
@frozen
public enum MaterializedSequenceResult<Element> {
    /// It completed after these elements.
    case completed(elements: [Element])
    /// It failed or timed out after these elements.
    case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

extension BlockingObservable {
    /// Waits for the end and returns all elements. Throws the error of the stream, or `RxError.timeout`.
    public func toArray() throws -> [Element] { try wait(for: .max).get() }

    /// Waits for the first element and returns it, or nil for an empty stream. Throws as `toArray` does.
    public func first() throws -> Element? { try wait(for: 1).get().first }

    /// Waits for the end and returns the last element, or nil if there is none. Throws as `toArray` does.
    public func last() throws -> Element? { try wait(for: .max).get().last }

    /// Waits for the end and returns the only element.
    ///
    /// Throws `RxError.noElements`, at the second element `RxError.moreThanOneElement`, and as `toArray` does.
    public func single() throws -> Element { try single { _ in true } }

    /// As `single()`, for the only element for which the predicate is true.
    ///
    /// Also throws the error of the predicate.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let elements = try wait(for: 2, predicate).get()
        if elements.count > 1 { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    /// Waits for the end and returns all elements and the end. It never throws.
    public func materialize() -> MaterializedSequenceResult<Element> { wait(for: .max) }

    private func wait(
        for count: Int, _ predicate: @escaping @Sendable (Element) throws -> Bool = { _ in true }
    ) -> MaterializedSequenceResult<Element> {
        BlockingRun(count, predicate).wait(for: stream, timeout: timeout)
    }
}

extension MaterializedSequenceResult {
    func get() throws -> [Element] {
        switch self {
        case .completed(let elements): return elements
        case .failed(_, let error): throw error
        }
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
