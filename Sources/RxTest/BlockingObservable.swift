public import Rx

extension ObservableConvertibleType {
    /// The stream for a test that waits: each method of the result subscribes and blocks the calling thread.
    ///
    /// The wait is over when the stream ends, when the question is answered, or after `timeout` seconds of real time,
    /// which is `RxError.timeout`; without a timeout it may last for ever. Zero and less mean: what comes at
    /// subscription or never. The subscription is disposed of before the method returns.
    ///
    /// The main thread runs its run loop while it waits, so that work for the main queue is done, as that of
    /// `MainScheduler`. The exception is a wait inside such work: the main queue does one piece of work at a time. Other
    /// threads do nothing else while they wait.
    public func toBlocking(timeout: Double? = nil) -> BlockingObservable<Element> {
        precondition(timeout?.isNaN != true, "A time-out must be a number of seconds.")
        return BlockingObservable(stream: asObservable(), timeout: timeout)
    }
}

/// A stream whose elements are waited for. Made by `toBlocking`; each method is a subscription of its own.
public struct BlockingObservable<Element>: Sendable {
    let stream: Observable<Element>
    let timeout: Double?
}

/// All that a stream said, with how it ended.
@frozen
public enum MaterializedSequenceResult<Element> {
    /// It completed after these elements.
    case completed(elements: [Element])
    /// It failed, or time ran out, after these elements.
    case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

extension BlockingObservable {
    /// Waits for the end and gives all elements; throws the error of the stream, or `RxError.timeout`.
    public func toArray() throws -> [Element] { try wait(for: .max).get() }

    /// Waits for the first element, or for the end of an empty stream, which is nil; throws as `toArray` does.
    public func first() throws -> Element? { try wait(for: 1).get().first }

    /// Waits for the end and gives the last element, nil if there was none; throws as `toArray` does.
    public func last() throws -> Element? { try wait(for: .max).get().last }

    /// Waits for the end and gives the only element.
    ///
    /// Throws `RxError.noElements`, or, at the second element, `RxError.moreThanOneElement`; and as `toArray` does.
    public func single() throws -> Element { try single { _ in true } }

    /// As `single()`, for the only element for which the predicate holds; a throwing predicate is thrown on.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let elements = try wait(for: 2, predicate).get()
        if elements.count > 1 { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    /// Waits for the end and gives all elements and the end; throws nothing.
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
