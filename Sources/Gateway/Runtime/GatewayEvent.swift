/// Something that happened in a gateway, for its log.
public struct GatewayEvent: Hashable, Sendable, CustomStringConvertible {
    /// How severe an event is.
    public enum Level: Int, Hashable, Sendable, Comparable {
        /// For the search of faults.
        case debug
        /// Normal operation.
        case info
        /// A fault that the gateway handles by itself.
        case warning
        /// A fault that needs a person.
        case error

        /// Compares by severity.
        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// How severe the event is.
    public var level: Level
    /// What happened, in one line. It may contain names of devices, which are not sanitised.
    public var description: String

    /// Creates an event.
    public init(_ level: Level, _ description: String) {
        self.level = level
        self.description = description
    }
}
