/// Finds the end of what a broker kept for a session while the gateway was not connected.
///
/// A broker answers in order. If it answers a ping without a message in between, it has delivered everything that it
/// kept.
struct ResumeBarrier {
    /// A broker with steady traffic might never have a pause between two messages.
    private static let maximumRounds = 1000

    private(set) var isActive = false
    private var hasMessage = false
    private var rounds = 0

    /// Begins with a ping after a connection with a present session.
    mutating func start() { isActive = true }

    mutating func messageArrived() { hasMessage = true }

    /// The broker has answered all pings. Returns whether another one is needed.
    mutating func pingAnswered() -> Bool {
        guard isActive else { return false }
        rounds += 1
        isActive = hasMessage && rounds < Self.maximumRounds
        hasMessage = false
        return isActive
    }
}
