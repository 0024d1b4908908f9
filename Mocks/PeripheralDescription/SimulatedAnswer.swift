/// What a peripheral answers to a read or a write.
public struct SimulatedAnswer: Sendable {
    enum ATTOutcome: Sendable {
        case value([UInt8])
        case accepted
        case error(UInt8)
        case silence
    }

    let outcome: ATTOutcome
    /// How long the answer takes; nil for the connection's ``SimulatedConnection/roundTrip``.
    public var delay: Duration?

    /// A value; for a write, one that is held in place of what was written.
    public static func value(_ value: [UInt8], after delay: Duration? = nil) -> SimulatedAnswer {
        SimulatedAnswer(outcome: .value(value), delay: delay)
    }

    /// For a write: what was written is held. For a read: what is held is the answer.
    public static let accepted = SimulatedAnswer(outcome: .accepted)

    /// An ATT error, for example 0x0E for “unlikely error”. Source: Bluetooth Core, Vol 3, Part F, 3.4.1.1.
    public static func error(_ code: UInt8, after delay: Duration? = nil) -> SimulatedAnswer {
        SimulatedAnswer(outcome: .error(code), delay: delay)
    }

    /// No answer. After 30 s the ATT protocol gives the link up.
    public static let silence = SimulatedAnswer(outcome: .silence)
}
