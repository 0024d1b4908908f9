/// What a stream says: an element, or its one last word.
@frozen
public enum Event<Element> {
    /// The stream goes on with this element.
    case next(Element)
    /// The stream failed; nothing follows.
    case error(any Error)
    /// The stream ended well; nothing follows.
    case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event {
    /// Whether nothing can follow this event.
    public var isStopEvent: Bool {
        if case .next = self { false } else { true }
    }

    /// The element, when there is one.
    public var element: Element? {
        if case .next(let value) = self { value } else { nil }
    }

    /// The error, when there is one.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }

    /// Whether this is the good end.
    public var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }

    /// The same event with its element transformed; a throwing transform makes it an error.
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
    /// `next(…)`, `error(…)` or `completed`.
    public var debugDescription: String {
        switch self {
        case .next(let value): "next(\(value))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// Anything that can stand for an event, so that events themselves can be elements (`dematerialize`).
public protocol EventConvertible<Element> {
    /// The type of the element of the event.
    associatedtype Element
    /// The event it stands for.
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    /// The event itself.
    public var event: Event<Element> { self }
}
