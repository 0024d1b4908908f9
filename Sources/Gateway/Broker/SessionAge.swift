/// How long the messages of a session may have waited at the broker.
///
/// A broker that resumes a session first sends what it kept, in order. The gateway publishes its availability after
/// each connection, and is subscribed to it: the messages before this one may be old.
struct SessionAge: Equatable {
    /// The time until which messages may be old if the own message does not come back, for example because the broker
    /// refuses the subscription.
    private static let longest = Duration.seconds(30)

    /// The last sign of the broker; nil before the first one.
    private var lastSign: Duration?
    /// The last sign on the connection before, and the time of the new connection, while old messages arrive.
    private var resumed: (lastSign: Duration?, connection: Duration)?

    /// - Parameter lastSign: The last sign of the broker to an earlier process, on the clock of this one.
    init(lastSign: Duration? = nil) { self.lastSign = lastSign }

    static func == (one: SessionAge, other: SessionAge) -> Bool {
        one.lastSign == other.lastSign && one.resumed?.lastSign == other.resumed?.lastSign
            && one.resumed?.connection == other.resumed?.connection
    }

    mutating func connected(isSessionPresent: Bool, at now: Duration) {
        resumed = isSessionPresent ? (lastSign, now) : nil
        lastSign = now
    }

    /// The broker has confirmed or sent something.
    mutating func sign(at now: Duration) { lastSign = now }

    /// The own message has come back.
    mutating func caughtUp() { resumed = nil }

    /// How long a message may have waited that arrives now.
    func waiting(at now: Duration) -> ReceivedMessage.Waiting {
        guard let resumed, now - resumed.connection < Self.longest else { return .none }
        return resumed.lastSign.map { .atMost(now - $0) } ?? .unknown
    }
}
