/// Whether the last will must not be a retained message, because the broker refuses it. A pure value.
///
/// Source: MQTT 5, section 3.2.2.3.5.
struct WillRetention {
    private(set) var isRefused = false
    /// Whether a broker that announced retained messages gets a retained last will again.
    private var wasTriedAgain = false

    /// A connection has ended.
    ///
    /// - Parameters:
    ///   - isWillRefused: Whether the broker has refused it because of its last will.
    ///   - keepsRetained: Whether the broker has accepted it, and keeps retained messages.
    mutating func closed(isWillRefused: Bool, keepsRetained: Bool) {
        if isWillRefused {
            isRefused = true
        } else if isRefused, keepsRetained, !wasTriedAgain {
            // A broker that contradicts itself would refuse the first attempt of each connection.
            wasTriedAgain = true
            isRefused = false
        }
    }
}
