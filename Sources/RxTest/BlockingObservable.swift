public import Rx

extension ObservableConvertibleType {
    /// Returns the stream in a form with methods that wait for its elements, for tests.
    ///
    /// Each method of the result subscribes and blocks the calling thread. The wait ends when the stream ends, when the
    /// result is known, or after `timeout` seconds of real time with `RxError.timeout`. Without a timeout the wait may
    /// never end. With a timeout of zero or less, only events at subscription count. The subscription is disposed of
    /// before the method returns.
    ///
    /// The main thread runs its run loop while it waits, so that work on the main queue runs, for example that of
    /// `MainScheduler`. A wait inside such work is an exception: the main queue runs nothing else until that work
    /// returns. Other threads only wait.
    public func toBlocking(timeout: Double? = nil) -> BlockingObservable<Element> {
        precondition(timeout?.isNaN != true, "toBlocking: the timeout must not be NaN.")
        return BlockingObservable(stream: asObservable(), timeout: timeout)
    }

    /// As `toBlocking(timeout:)` with a number of seconds. A negative duration counts as zero.
    public func toBlocking(timeout: Duration) -> BlockingObservable<Element> {
        toBlocking(timeout: timeout.inSeconds)
    }
}

/// A stream with methods that wait for its elements: see `toBlocking`. Each method subscribes again.
public struct BlockingObservable<Element>: Sendable {
    let stream: Observable<Element>
    let timeout: Double?
}

/// All elements of a stream and its end.
@frozen
public enum MaterializedSequenceResult<Element> {
    /// The stream completed after these elements.
    case completed(elements: [Element])
    /// The stream failed or timed out after these elements.
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
    /// Throws `RxError.noElements` for an empty stream, `RxError.moreThanOneElement` at the second element, and the
    /// errors that `toArray` throws.
    public func single() throws -> Element { try single { _ in true } }

    /// As `single()`, but returns the only element for which the predicate is true.
    ///
    /// The method also throws the error of the predicate.
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
