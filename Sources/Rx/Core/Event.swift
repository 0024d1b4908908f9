/// An event of a stream: an element, or the end.
///
/// A stream sends any number of elements, then at most one error or completion.
@frozen
public enum Event<Element> {
    /// An element of the stream.
    case next(Element)
    /// The stream failed. No event follows.
    case error(any Error)
    /// The stream completed. No event follows.
    case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event {
    /// Whether this event ends the stream.
    public var isStopEvent: Bool {
        if case .next = self { false } else { true }
    }

    /// The element, or nil for an event that ends the stream.
    public var element: Element? {
        if case .next(let value) = self { value } else { nil }
    }

    /// The error, or nil for other events.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }

    /// Whether this event is completion.
    public var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }

    /// Returns the event with its element transformed, or `error` if the transform throws.
    public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
        do {
            switch self {
            case .next(let value): return .next(try transform(value))
            case .error(let error): return .error(error)
            case .completed: return .completed
            }
        } catch {
            return .error(error)
        }
    }
}

extension Event: CustomDebugStringConvertible {
    /// The event as text: `next(…)`, `error(…)` or `completed`.
    public var debugDescription: String {
        switch self {
        case .next(let value): "next(\(value))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// A value that can be converted to an event, such as an element that `dematerialize` converts.
public protocol EventConvertible<Element> {
    /// The type of the event's element.
    associatedtype Element
    /// The event that the value stands for.
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    /// The event itself.
    public var event: Event<Element> { self }
}
