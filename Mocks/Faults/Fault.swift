import DBus

/// A rule that makes calls fail or misbehave: which calls, how often, and how.
///
///     Fault("Device1.Connect", at: "*/dev_C0_FF_EE_00_00_01", calls: .first(2),
///         .error("org.bluez.Error.Failed", "le-connection-abort-by-local"))
///     Fault("GattCharacteristic1.WriteValue", calls: .only(3), .never)
///     Fault("Device1.Connect", .meanwhile(after: .milliseconds(50)) { $0.setPower(false) })
///
/// If several rules match a call, all of them apply. If several return an error, the daemon sends the first error.
public struct Fault: Sendable {
    /// Which of the matching calls are affected. Each rule counts its matching calls from 1.
    public enum Calls: Hashable, Sendable {
        /// Every call.
        case all
        /// One call, counted from 1.
        case only(Int)
        /// The first calls, up to this number.
        case first(Int)
        /// This call, counted from 1, and all later calls.
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

    /// How a call misbehaves.
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

        /// The daemon executes the call and delays its reply by this time. A negative delay counts as 0.
        public static func late(_ delay: Duration) -> Effect { Effect(kind: .late(max(.zero, delay))) }
        /// The daemon executes the call and never replies.
        public static let never = Effect(kind: .never)
        /// The daemon neither executes the call nor replies, as if it hung.
        public static let lost = Effect(kind: .lost)
        /// The daemon replies twice. The bus delivers the first reply only.
        public static let twice = Effect(kind: .twice)
        /// The replies of each two matching calls are swapped: the first reply is sent after the second.
        public static let swapped = Effect(kind: .swapped)
        /// The daemon does not execute the call and returns this error.
        ///
        /// If the name is not a valid D-Bus error name, the daemon sends `Failed` instead.
        public static func error(_ name: String, _ text: String = "") -> Effect {
            Effect(kind: .error(DBusError(name: name, message: text)))
        }
        /// The daemon executes the call but returns this error.
        public static func errorAfterwards(_ name: String, _ text: String = "") -> Effect {
            Effect(kind: .errorAfterwards(DBusError(name: name, message: text)))
        }
        /// The daemon starts to execute the call, and `event` runs after the delay.
        public static func meanwhile(
            after delay: Duration = .zero, _ event: @escaping @Sendable (SimulatedBlueZ) -> Void
        ) -> Effect { meanwhile(after: delay) { bluez, _ in event(bluez) } }

        /// The daemon starts to execute the call, and `event` runs with the call after the delay.
        static func meanwhile(
            after delay: Duration, _ event: @escaping @Sendable (SimulatedBlueZ, RecordedCall) -> Void
        ) -> Effect { Effect(kind: .meanwhile(max(.zero, delay), event)) }

        static func error(_ error: DBusError) -> Effect { Effect(kind: .error(error)) }

        /// If the closure returns an error, the daemon returns this error and does not execute the call.
        static func refused(_ reason: @escaping @Sendable (Circumstances) -> DBusError?) -> Effect {
            Effect(kind: .refused(reason))
        }
    }

    /// The state that an effect can depend on.
    struct Circumstances {
        let links: Int
        let waiting: Int
    }

    /// The pattern of the affected calls.
    public let pattern: CallPattern
    /// Which of the matching calls are affected.
    public let calls: Calls
    /// How the affected calls misbehave.
    public let effect: Effect

    /// Creates a rule. `property` restricts `Properties.Get` and `Properties.Set` to one property.
    public init(
        _ method: String, at path: String = "*", property: String? = nil, calls: Calls = .all, _ effect: Effect
    ) {
        pattern = CallPattern(method, at: path, property: property)
        self.calls = calls
        self.effect = effect
    }
}
