/// The messages that the gateway sends: those that wait, and those that the broker has not confirmed.
struct SendWindow {
    /// A message that was sent with quality of service 1.
    struct Sent: Equatable {
        let token: UInt64
        let topic: String
        let size: Int
        /// Counts the messages of the connection.
        let number: Int
    }

    /// More messages are not in flight, whatever the broker allows.
    private static let maximumInFlight = 1000
    /// The most bytes of messages that wait. The gateway drops further ones, because the broker is too slow.
    private static let maximumWaitingBytes = 8 << 20

    private var limit = 1
    private var inFlight: [UInt16: Sent] = [:]
    private var reserved: Set<UInt16> = []
    private var waiting: [(publication: Publication, token: UInt64)] = []
    private var firstWaiting = 0
    private var waitingBytes = 0
    private var lastIdentifier: UInt16 = 0
    private var sentCount = 0

    /// The unconfirmed messages in the order of sending.
    var unconfirmed: [Sent] { inFlight.values.sorted { $0.number < $1.number } }

    /// Sets how many messages may be in flight.
    mutating func setLimit(_ limit: Int) { self.limit = min(max(1, limit), Self.maximumInFlight) }

    /// Adds a message, or returns false if too much waits already.
    mutating func add(_ publication: Publication, token: UInt64) -> Bool {
        guard waitingBytes + publication.size <= Self.maximumWaitingBytes else { return false }
        waitingBytes += publication.size
        waiting.append((publication, token))
        return true
    }

    /// Returns the next message to send with its identifier, which is nil for quality of service 0.
    mutating func next() -> (publication: Publication, identifier: UInt16?)? {
        guard firstWaiting < waiting.count else { return nil }
        let (publication, token) = waiting[firstWaiting]
        guard publication.qualityOfService > 0 else {
            removeFirst()
            return (publication, nil)
        }
        guard inFlight.count < limit else { return nil }
        removeFirst()
        let identifier = freeIdentifier()
        sentCount += 1
        inFlight[identifier] = Sent(
            token: token, topic: publication.topic, size: publication.size, number: sentCount)
        return (publication, identifier)
    }

    private mutating func removeFirst() {
        waitingBytes -= waiting[firstWaiting].publication.size
        firstWaiting += 1
        guard firstWaiting == waiting.count || firstWaiting >= 64 else { return }
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
    }

    /// Reserves an identifier for a packet that is no message.
    mutating func reserveIdentifier() -> UInt16 {
        let identifier = freeIdentifier()
        reserved.insert(identifier)
        return identifier
    }

    mutating func release(_ identifier: UInt16) { reserved.remove(identifier) }

    /// At most 1,000 messages and 100 subscriptions use one of the 65,535 identifiers.
    private mutating func freeIdentifier() -> UInt16 {
        repeat {
            lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
        } while inFlight[lastIdentifier] != nil || reserved.contains(lastIdentifier)
        return lastIdentifier
    }

    /// Returns the message that the broker has answered; nil for an unknown identifier.
    mutating func answer(_ identifier: UInt16) -> Sent? { inFlight.removeValue(forKey: identifier) }
}
