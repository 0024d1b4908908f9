/// A characteristic of a peripheral's GATT server.
public struct SimulatedCharacteristic: Sendable {
    /// The UUID, of 16, 32 or 128 bits, as text.
    public var uuid: String
    /// The supported operations and their replies.
    public var behaviours: [SimulatedBehaviour]
    /// The descriptors, in the order of their handles. The CCCD (2902) is added automatically.
    public var descriptors: [SimulatedDescriptor]
    /// Whether notifications or indications have a CCCD (2902). Default: true.
    ///
    /// Some defective firmware has none. Turning notifications on succeeds nevertheless.
    public var hasClientConfiguration = true
    /// The required security of the link. A write without response over a less secure link is dropped.
    public var protection: SimulatedProtection

    /// Creates a characteristic, for example
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

/// An operation that a characteristic supports.
public struct SimulatedBehaviour: Sendable {
    enum BehaviourKind: Sendable {
        case read(initial: [UInt8], answer: (@Sendable (_ value: [UInt8]) -> SimulatedAnswer)?)
        case write(answer: (@Sendable (_ value: [UInt8]) -> SimulatedAnswer)?)
        case writeWithoutResponse(taken: (@Sendable (_ value: [UInt8]) -> Void)?)
        case notify(SimulatedNotifications)
        case indicate(SimulatedNotifications)
    }

    let kind: BehaviourKind

    /// Readable. The value is empty until a client or a test changes it.
    public static let read = SimulatedBehaviour(kind: .read(initial: [], answer: nil))

    /// Readable, with this value until a client or a test changes it.
    public static func read(_ value: [UInt8] = []) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .read(initial: value, answer: nil))
    }

    /// Readable. The closure answers each read. The closure's argument is the present value.
    public static func read(_ answer: @escaping @Sendable (_ value: [UInt8]) -> SimulatedAnswer) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .read(initial: [], answer: answer))
    }

    /// Writable with response. The written value is stored.
    public static let write = SimulatedBehaviour(kind: .write(answer: nil))

    /// Writable with response. The closure answers each write. An accepted value is stored.
    public static func write(
        _ answer: @escaping @Sendable (_ value: [UInt8]) -> SimulatedAnswer
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .write(answer: answer))
    }

    /// Writable without response. The written value is stored.
    public static let writeWithoutResponse = SimulatedBehaviour(kind: .writeWithoutResponse(taken: nil))

    /// Writable without response. The closure is called with each value.
    public static func writeWithoutResponse(
        _ taken: @escaping @Sendable (_ value: [UInt8]) -> Void
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .writeWithoutResponse(taken: taken))
    }

    /// Notifies only the values that a test sends.
    public static let notify = SimulatedBehaviour(kind: .notify(SimulatedNotifications()))

    /// Notifies at an interval while a client is subscribed.
    ///
    /// The closure gets the number of the notification, from 0, and returns the value.
    public static func notify(
        every interval: Duration, _ value: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .notify(SimulatedNotifications(interval: interval, value: value)))
    }

    /// Indicates only the values that a test sends.
    public static let indicate = SimulatedBehaviour(kind: .indicate(SimulatedNotifications()))

    /// Indicates at an interval while a client is subscribed.
    ///
    /// The closure gets the number of the indication, from 0, and returns the value.
    public static func indicate(
        every interval: Duration, _ value: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) -> SimulatedBehaviour {
        SimulatedBehaviour(kind: .indicate(SimulatedNotifications(interval: interval, value: value)))
    }
}

/// The values that a characteristic sends by itself while a client is subscribed.
struct SimulatedNotifications: Sendable {
    var interval: Duration?
    var value: @Sendable (Int) -> [UInt8] = { _ in [] }
    /// Called when a client subscribes, and when the last client has unsubscribed.
    var switched: (@Sendable (Bool) -> Void)?
}

/// A descriptor of a characteristic.
public struct SimulatedDescriptor: Sendable {
    /// The UUID, of 16, 32 or 128 bits, as text.
    public var uuid: String
    /// The value.
    public var value: [UInt8]
    /// Whether clients can write the descriptor.
    public var isWritable: Bool
    /// The required security of the link.
    public var protection: SimulatedProtection

    /// Creates a descriptor.
    public init(_ uuid: String, _ value: [UInt8], writable: Bool = false, protection: SimulatedProtection = .none) {
        self.uuid = uuid
        self.value = value
        isWritable = writable
        self.protection = protection
    }

    /// The Characteristic User Description (2901).
    public static func userDescription(_ text: String) -> SimulatedDescriptor {
        SimulatedDescriptor("2901", Array(text.utf8))
    }
}

/// A peripheral's reply to a read or a write.
public struct SimulatedAnswer: Sendable {
    enum ATTOutcome: Sendable {
        case value([UInt8])
        case accepted
        case error(UInt8)
        case silence
        /// The answer comes later: the closure calls its argument with it, in the context of the simulation.
        case deferred(@Sendable (@escaping @Sendable (SimulatedAnswer) -> Void) -> Void)
    }

    let outcome: ATTOutcome
    /// How long the reply takes; nil for the connection's ``SimulatedConnection/roundTrip``.
    public var delay: Duration?

    /// Replies with a value. For a write, this value is stored instead of the written one.
    public static func value(_ value: [UInt8], after delay: Duration? = nil) -> SimulatedAnswer {
        SimulatedAnswer(outcome: .value(value), delay: delay)
    }

    /// Accepts a write, or answers a read with the stored value.
    public static let accepted = SimulatedAnswer(outcome: .accepted)

    /// Replies with an ATT error, such as 0x0E for "unlikely error".
    ///
    /// Source: Bluetooth Core, Vol 3, Part F, 3.4.1.1.
    public static func error(_ code: UInt8, after delay: Duration? = nil) -> SimulatedAnswer {
        SimulatedAnswer(outcome: .error(code), delay: delay)
    }

    /// The peripheral does not reply. After 30 s, ATT ends the link.
    public static let silence = SimulatedAnswer(outcome: .silence)

    static func deferred(
        _ start: @escaping @Sendable (@escaping @Sendable (SimulatedAnswer) -> Void) -> Void
    ) -> SimulatedAnswer {
        SimulatedAnswer(outcome: .deferred(start))
    }

    /// Returns the answer to a read that begins at an offset.
    func dropping(_ offset: Int) -> SimulatedAnswer {
        switch outcome {
        case .value(let whole):
            offset <= whole.count
                ? .value(Array(whole.dropFirst(offset)), after: delay) : .error(0x07, after: delay)
        case .deferred(let start): .deferred { done in start { done($0.dropping(offset)) } }
        case .accepted, .error, .silence: self
        }
    }
}
