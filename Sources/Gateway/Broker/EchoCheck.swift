import RxBluetooth

/// Finds messages of the gateway that the broker confirms but does not deliver back to it. A pure value.
///
/// A broker may accept each subscription, and drop without an answer what the client may not read; mosquitto with an
/// access list does. The gateway subscribes to some topics that it publishes itself, so their messages must come back.
/// Topics that differ in the address of a device count as one, because one access right usually covers them.
struct EchoCheck {
    private enum State {
        /// A message was sent.
        case sent(topic: String)
        /// The broker confirmed it, so that it must arrive by then.
        case confirmed(topic: String, due: Duration)
        /// A message has arrived, or its absence was reported.
        case finished
    }

    /// The longest time between a confirmation and the arrival of the message.
    static let limit = Duration.seconds(10)
    private static let maximumGroups = 64

    private var states: [String: State] = [:]
    /// The number of states that are not finished.
    private var openCount = 0

    /// When ``takeMissing(at:)`` finds something, at the earliest; nil if nothing is confirmed.
    var due: Duration? {
        guard openCount > 0 else { return nil }
        return states.values.compactMap { if case .confirmed(_, let due) = $0 { due } else { nil } }.min()
    }

    /// Stores that a message to a subscribed topic was sent.
    mutating func sent(_ topic: String) {
        let group = Self.group(topic)
        guard states[group] == nil, states.count < Self.maximumGroups else { return }
        states[group] = .sent(topic: topic)
        openCount += 1
    }

    /// Stores that the broker has confirmed a message.
    mutating func confirmed(_ topic: String, at now: Duration) {
        guard openCount > 0 else { return }
        let group = Self.group(topic)
        guard case .sent(topic)? = states[group] else { return }
        states[group] = .confirmed(topic: topic, due: now + Self.limit)
    }

    /// Stores that the broker has refused a message, which is reported already.
    mutating func refused(_ topic: String) {
        guard openCount > 0 else { return }
        let group = Self.group(topic)
        guard case .sent(topic)? = states[group] else { return }
        states[group] = nil
        openCount -= 1
    }

    /// Stores that a message has arrived.
    mutating func received(_ topic: String) {
        guard openCount > 0 else { return }
        let group = Self.group(topic)
        switch states[group] {
        case .sent, .confirmed: finish(group)
        case .finished, nil: break
        }
    }

    /// Returns the topics without their messages in time, with `+` for the addresses of devices. Each is
    /// returned once.
    mutating func takeMissing(at now: Duration) -> [String] {
        let missing = states.compactMap { group, state in
            if case .confirmed(_, let due) = state, due <= now { group } else { nil }
        }
        for group in missing { finish(group) }
        return missing.sorted()
    }

    private mutating func finish(_ group: String) {
        states[group] = .finished
        openCount -= 1
    }

    private static func group(_ topic: String) -> String {
        topic.split(separator: "/", omittingEmptySubsequences: false)
            .map { BluetoothAddress(plainText: $0) == nil ? $0 : "+" }.joined(separator: "/")
    }
}
