public import Rx

extension Recorded {
    /// The events as an array, for where the compiler cannot tell the type of an array literal.
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

/// The good end at a time.
@available(*, deprecated, renamed: "Recorded.completed(_:_:)")
public func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self) -> Recorded<Event<Element>> {
    .completed(time, type)
}

/// The failure at a time.
@available(*, deprecated, renamed: "Recorded.error(_:_:_:)")
public func error<Element>(
    _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
) -> Recorded<Event<Element>> {
    .error(time, error, type)
}
