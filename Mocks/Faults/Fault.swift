import DBus

/// A rule by which calls go wrong: which calls, how often, and how.
///
///     Fault("Device1.Connect", at: "*/dev_C0_FF_EE_00_00_01", calls: .first(2),
///           .error("org.bluez.Error.Failed", ConnectError.abortedByLocal))
///     Fault("GattCharacteristic1.WriteValue", calls: .only(3), .never)
///     Fault("Device1.Connect", .meanwhile(after: .milliseconds(50)) { $0.setPower(false) })
///
/// Where several rules fit a call, all of them act; the first error counts.
public struct Fault: Sendable {
    /// Which of the calls that fit a pattern are meant. They are counted from 1, by each rule for itself.
    public enum Calls: Hashable, Sendable {
        /// All of them.
        case all
        /// One of them, from 1.
        case only(Int)
        /// So many from the first one on.
        case first(Int)
        /// All from that one on, from 1.
        case from(Int)

        func contains(_ number: Int) -> Bool {
            switch self {
            case .all: true
            case .only(let one): number == one
            case .first(let count): number <= count
            case .from(let first): number >= first
            }
        }
    }

    /// How a call goes wrong.
    public struct Effect: Sendable {
        enum EffectKind: Sendable {
            case late(Duration)
            case never
            case lost
            case twice
            case swapped
            case error(DBusError)
            case errorAfterwards(DBusError)
            case refused(@Sendable (Circumstances) -> DBusError?)
            case meanwhile(Duration, @Sendable (SimulatedBlueZ, RecordedCall) -> Void)
        }

        let kind: EffectKind

        /// The daemon does what was asked for; its answer comes so much later. Negative means at once.
        public static func late(_ delay: Duration) -> Effect { Effect(kind: .late(max(.zero, delay))) }
        /// The daemon does what was asked for, and never answers (Q8).
        public static let never = Effect(kind: .never)
        /// The daemon does nothing and never answers, as one that hangs.
        public static let lost = Effect(kind: .lost)
        /// The daemon answers twice. A bus lets the first answer pass alone.
        public static let twice = Effect(kind: .twice)
        /// Of two calls that fit, the second is answered before the first: an answer waits for the one after it.
        public static let swapped = Effect(kind: .swapped)
        /// The daemon does nothing and answers with this error. A name that is not valid D-Bus is sent as `Failed`.
        public static func error(_ name: String, _ text: String = "") -> Effect {
            Effect(kind: .error(DBusError(name: name, message: text)))
        }
        /// The daemon does what was asked for, and answers with this error all the same.
        public static func errorAfterwards(_ name: String, _ text: String = "") -> Effect {
            Effect(kind: .errorAfterwards(DBusError(name: name, message: text)))
        }
        /// The daemon begins to do what was asked for; so much later something happens.
        public static func meanwhile(
            after delay: Duration = .zero, _ event: @escaping @Sendable (SimulatedBlueZ) -> Void
        ) -> Effect { meanwhile(after: delay) { bluez, _ in event(bluez) } }

        /// The same, for what must know the call.
        static func meanwhile(
            after delay: Duration, _ event: @escaping @Sendable (SimulatedBlueZ, RecordedCall) -> Void
        ) -> Effect { Effect(kind: .meanwhile(max(.zero, delay), event)) }

        static func error(_ error: DBusError) -> Effect { Effect(kind: .error(error)) }

        /// The daemon does nothing where the closure gives an error.
        static func refused(_ reason: @escaping @Sendable (Circumstances) -> DBusError?) -> Effect {
            Effect(kind: .refused(reason))
        }
    }

    /// What an effect may look at.
    struct Circumstances {
        let links: Int
        let waiting: Int
    }

    /// The calls that fit.
    public let pattern: CallPattern
    /// Which of them.
    public let calls: Calls
    /// How they go wrong.
    public let effect: Effect

    /// Makes a rule, as the type's description shows. `property` narrows `Properties.Get` and `Properties.Set`.
    public init(
        _ method: String, at path: String = "*", property: String? = nil, calls: Calls = .all, _ effect: Effect
    ) {
        pattern = CallPattern(method, at: path, property: property)
        self.calls = calls
        self.effect = effect
    }
}
