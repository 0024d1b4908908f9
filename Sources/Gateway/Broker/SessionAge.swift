/// How long the messages of a session may have waited at the broker.
///
/// A broker that resumes a session first sends what it kept, in order. The gateway publishes its availability after
/// each connection, and is subscribed to it: the messages before this one may be old. So may those that the client
/// of MQTT marks.
struct SessionAge: Equatable {
    /// The time until which messages may be old if the own message does not come back, for example because the broker
    /// refuses the subscription.
    private static let longest = Duration.seconds(30)

    /// The last sign of the broker; nil before the first one.
    private var lastSign: Duration?
    /// The last sign on the connection before; nil if it is not known.
    private var lastSignBefore: Duration?
    /// The time of the connection, while old messages arrive.
    private var connection: Duration?

    /// - Parameter lastSign: The last sign of the broker to an earlier process, on the clock of this one.
    init(lastSign: Duration? = nil) { self.lastSign = lastSign }

    mutating func connected(isSessionPresent: Bool, at now: Duration) {
        lastSignBefore = lastSign
        connection = isSessionPresent ? now : nil
        lastSign = now
    }

    /// The broker has confirmed or sent something.
    mutating func sign(at now: Duration) { lastSign = now }

    /// The own message has come back.
    mutating func caughtUp() { connection = nil }

    /// How long a message may have waited that arrives now.
    ///
    /// - Parameter isKept: Whether the client of MQTT takes it for one that the broker kept.
    func waiting(at now: Duration, isKept: Bool = false) -> ReceivedMessage.Waiting {
        guard isKept || connection.map({ now - $0 < Self.longest }) == true else { return .none }
        return lastSignBefore.map { .atMost(now - $0) } ?? .unknown
    }
}
