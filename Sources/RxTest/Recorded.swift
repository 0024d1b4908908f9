public import Rx

/// A time of the clock of a `TestScheduler`, in ticks.
public typealias TestTime = Int

/// A value with its virtual time.
public struct Recorded<Value> {
    /// The time of the value.
    public let time: TestTime
    /// The value.
    public let value: Value

    /// Creates a value with its time.
    public init(time: TestTime, value: Value) {
        self.time = time
        self.value = value
    }
}

extension Recorded: Sendable where Value: Sendable {}
extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
    /// `value @ time`.
    public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
    /// An element at a time.
    public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>>
    where Value == Event<Element> {
        Recorded(time: time, value: .next(element))
    }

    /// Completion at a time.
    public static func completed<Element>(
        _ time: TestTime, _ type: Element.Type = Element.self
    ) -> Recorded<Event<Element>> where Value == Event<Element> {
        Recorded(time: time, value: .completed)
    }

    /// An error at a time.
    public static func error<Element>(
        _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
    ) -> Recorded<Event<Element>> where Value == Event<Element> {
        Recorded(time: time, value: .error(error))
    }
}

extension Recorded {
    /// The events as an array, if the compiler cannot infer the type of an array literal.
    public static func events<Element>(
        _ recordedEvents: Recorded<Event<Element>>...
    ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
        recordedEvents
    }

    /// The array itself.
    public static func events<Element>(
        _ recordedEvents: [Recorded<Event<Element>>]
    ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
        recordedEvents
    }
}

/// An element at a time.
@available(*, deprecated, renamed: "Recorded.next(_:_:)")
public func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>> { .next(time, element) }

/// Completion at a time.
@available(*, deprecated, renamed: "Recorded.completed(_:_:)")
public func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self) -> Recorded<Event<Element>> {
    .completed(time, type)
}

/// An error at a time.
@available(*, deprecated, renamed: "Recorded.error(_:_:_:)")
public func error<Element>(
    _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
) -> Recorded<Event<Element>> {
    .error(time, error, type)
}
