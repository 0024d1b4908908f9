public import Rx

/// A time on the clock of a `TestScheduler`, in ticks.
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
    /// The text `value @ time`.
    public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
    /// Returns an element recorded at the given time.
    public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>>
    where Value == Event<Element> {
        Recorded(time: time, value: .next(element))
    }

    /// Returns a completion recorded at the given time.
    public static func completed<Element>(
        _ time: TestTime, _ type: Element.Type = Element.self
    ) -> Recorded<Event<Element>> where Value == Event<Element> {
        Recorded(time: time, value: .completed)
    }

    /// Returns an error recorded at the given time.
    public static func error<Element>(
        _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
    ) -> Recorded<Event<Element>> where Value == Event<Element> {
        Recorded(time: time, value: .error(error))
    }
}

extension Recorded {
    /// Returns the events as an array, for code in which the compiler cannot infer the array's type.
    public static func events<Element>(
        _ recordedEvents: Recorded<Event<Element>>...
    ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
        recordedEvents
    }

    /// Returns the array unchanged.
    public static func events<Element>(
        _ recordedEvents: [Recorded<Event<Element>>]
    ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
        recordedEvents
    }
}

/// Returns an element recorded at the given time.
@available(*, deprecated, renamed: "Recorded.next(_:_:)")
public func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>> { .next(time, element) }

/// Returns a completion recorded at the given time.
@available(*, deprecated, renamed: "Recorded.completed(_:_:)")
public func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self) -> Recorded<Event<Element>> {
    .completed(time, type)
}

/// Returns an error recorded at the given time.
@available(*, deprecated, renamed: "Recorded.error(_:_:_:)")
public func error<Element>(
    _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
) -> Recorded<Event<Element>> {
    .error(time, error, type)
}
