import FoundationEssentials

/// How long ago a command was sent, as far as it is known.
enum CommandAge: Hashable, Sendable {
    /// At most this time. A negative one: the command was sent in the future.
    case atMost(Duration)
    /// It waited at the broker while this gateway did not run.
    case unknown

    /// A command names its own time, or its sender has limited it with an expiry of MQTT 5, which the broker observes.
    /// Otherwise, a message of a resumed session may be as old as the end of the connection before. What waited in the
    /// socket while the process did not run may be as old as that time, and the broker did not observe its expiry then.
    init(of command: GATTCommand, _ message: ReceivedMessage, at time: Date) {
        if let created = command.created {
            self = .atMost(.milliseconds(Int64((time.timeIntervalSince(created) * 1000).rounded(.up))))
        } else if let expiry = message.expiry, message.delay == .zero || message.delay < expiry {
            self = .atMost(.zero)
        } else {
            switch message.waiting {
            case .none: self = .atMost(.zero)
            case .atMost(let waiting): self = .atMost(waiting)
            case .unknown: self = .unknown
            }
        }
    }

    /// Why a command with this age is not executed; nil if it is.
    func failure(maximum: Duration) -> CommandFailure? {
        let limit = "at most \(maximum.inSeconds) s"
        let text: String
        switch self {
        case .atMost(let age) where age < .zero - maximum:
            text =
                "“created” is \((.zero - age).inSeconds) s in the future; set the clocks of the sender and the gateway"
        case .atMost(let age) where age > maximum:
            text = "The command may be \(age.inSeconds) s old, and is not executed; \(limit) are allowed"
        case .unknown:
            text =
                "The command waited while the gateway was not running, and is not executed; "
                + "give “created”, or an expiry of MQTT 5, if it may be executed within \(maximum.inSeconds) s"
        case .atMost: return nil
        }
        return CommandFailure(kind: "expired", text: text)
    }
}
