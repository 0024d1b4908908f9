/// How long one subscription to a testable stream lasted, in virtual time.
public struct Subscription: Equatable, Hashable, Sendable {
    /// When it began.
    public let subscribe: TestTime
    /// When it ended; `Int.max` while it lasts.
    public let unsubscribe: TestTime

    /// A subscription that lasts.
    public init(_ subscribe: TestTime) { self.init(subscribe, .max) }

    /// A subscription that ended.
    public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription: CustomDebugStringConvertible {
    /// `(from : to)`, with `Infinity` while it lasts.
    public var debugDescription: String {
        "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
    }
}
