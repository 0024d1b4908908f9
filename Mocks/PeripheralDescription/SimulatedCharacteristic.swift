/// A characteristic of a peripheral's GATT server: its UUID, what can be done with it, and its descriptors.
public struct SimulatedCharacteristic: Sendable {
    /// Its UUID, of 16, 32 or 128 bits, as text.
    public var uuid: String
    /// What can be done with it, and what it answers.
    public var behaviours: [SimulatedBehaviour]
    /// Its descriptors, in the order of their handles. The one that switches notifications (2902) is added by itself.
    public var descriptors: [SimulatedDescriptor]
    /// What it demands of the link. A write without response to a link that has less is dropped, as on the air.
    public var protection: SimulatedProtection

    /// Makes a characteristic, for example
    /// `SimulatedCharacteristic("2a37", .notify(every: .seconds(1)) { beat in [0, 60 + UInt8(beat % 20)] })`.
    public init(
        _ uuid: String, _ behaviours: SimulatedBehaviour..., descriptors: [SimulatedDescriptor] = [],
        protection: SimulatedProtection = .none
    ) {
        self.uuid = uuid
        self.behaviours = behaviours
        self.descriptors = descriptors
        self.protection = protection
    }
}

/// One thing that can be done with a characteristic.
public struct SimulatedBehaviour: Sendable {
    enum BehaviourKind: Sendable {
        case read(initial: [UInt8], answer: (@Sendable (_ value: [UInt8]) -> SimulatedAnswer)?)
        case write(answer: (@Sendable (_ value: [UInt8]) -> SimulatedAnswer)?)
        case writeWithoutResponse(taken: (@Sendable (_ value: [UInt8]) -> Void)?)
        case notify(SimulatedNotifications)
        case indicate(SimulatedNotifications)
    }

    let kind: BehaviourKind

    /// Readable; holds an empty value until something is written or a test updates it.
    public static let read = SimulatedBehaviour(kind: .read(initial: [], answer: nil))

    /// Readable; holds this value until something is written or a test updates it.
    public static func read(_ value: [UInt8] = []) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .read(initial: value, answer: nil))
    }

    /// Readable; each read is answered by the closure, which gets the value held at that time.
    public static func read(_ answer: @escaping @Sendable (_ value: [UInt8]) -> SimulatedAnswer) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .read(initial: [], answer: answer))
    }

    /// Writable with a response; what is written is held.
    public static let write = SimulatedBehaviour(kind: .write(answer: nil))

    /// Writable with a response, which the closure decides from the value; what it accepts is held.
    public static func write(
        _ answer: @escaping @Sendable (_ value: [UInt8]) -> SimulatedAnswer
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .write(answer: answer))
    }

    /// Writable without a response; what is written is held.
    public static let writeWithoutResponse = SimulatedBehaviour(kind: .writeWithoutResponse(taken: nil))

    /// Writable without a response; the closure hears of each value.
    public static func writeWithoutResponse(
        _ taken: @escaping @Sendable (_ value: [UInt8]) -> Void
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .writeWithoutResponse(taken: taken))
    }

    /// Notifies, but only what a test tells it to.
    public static let notify = SimulatedBehaviour(kind: .notify(SimulatedNotifications()))

    /// Notifies at an interval while a client is subscribed; the closure gets 0, 1, 2… and makes the value.
    public static func notify(
        every interval: Duration, _ value: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .notify(SimulatedNotifications(interval: interval, value: value)))
    }

    /// Indicates, but only what a test tells it to.
    public static let indicate = SimulatedBehaviour(kind: .indicate(SimulatedNotifications()))

    /// Indicates at an interval while a client is subscribed; the closure gets 0, 1, 2… and makes the value.
    public static func indicate(
        every interval: Duration, _ value: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .indicate(SimulatedNotifications(interval: interval, value: value)))
    }
}

/// What a characteristic sends by itself while a client is subscribed.
struct SimulatedNotifications: Sendable {
    var interval: Duration?
    var value: @Sendable (Int) -> [UInt8] = { _ in [] }
}

/// A descriptor of a characteristic.
public struct SimulatedDescriptor: Sendable {
    /// Its UUID, of 16, 32 or 128 bits, as text.
    public var uuid: String
    /// What it holds.
    public var value: [UInt8]
    /// Whether it takes writes.
    public var isWritable: Bool

    /// Makes a descriptor.
    public init(_ uuid: String, _ value: [UInt8], writable: Bool = false) {
        self.uuid = uuid
        self.value = value
        isWritable = writable
    }

    /// The description for people (2901).
    public static func userDescription(_ text: String) -> SimulatedDescriptor {
        SimulatedDescriptor("2901", Array(text.utf8))
    }
}

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
