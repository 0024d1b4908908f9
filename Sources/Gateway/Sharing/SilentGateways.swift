/// Finds gateways that have announced themselves, but have no availability that arrives. A pure value.
///
/// Without it, a gateway counts as offline, so that others take its devices. The broker may deny reading the topic, or
/// the gateway was removed and its announcement is left.
struct SilentGateways {
    /// The time in which a retained availability arrives.
    static let limit = Duration.seconds(10)
    private static let maximumGateways = 1024

    private let own: String
    private var available: Set<String> = []
    private var waiting: [String: Duration] = [:]
    private var reported: Set<String> = []

    /// Creates the check of a gateway with a name.
    init(of own: String) { self.own = own }

    /// When ``take(at:)`` finds something, at the earliest.
    var due: Duration? { waiting.values.min() }

    /// Learns from a message of another gateway.
    mutating func receive(_ subject: SharingTopics.Subject?, isEmpty: Bool, at now: Duration) {
        switch subject {
        case .availability(let name):
            waiting[name] = nil
            if available.count < Self.maximumGateways { available.insert(name) }
        case .presence(let name):
            guard !isEmpty else { return waiting[name] = nil }
            guard name != own, !available.contains(name), !reported.contains(name), waiting[name] == nil,
                waiting.count + reported.count < Self.maximumGateways
            else { return }
            waiting[name] = now + Self.limit
        case .heard, .owner, .room, nil: break
        }
    }

    /// The connection was made or has ended.
    mutating func reset() {
        available = []
        waiting = [:]
    }

    /// Returns the gateways without an availability in time, each once.
    mutating func take(at now: Duration) -> [String] {
        let names = waiting.filter { $0.value <= now }.keys.sorted()
        for name in names { waiting[name] = nil }
        reported.formUnion(names)
        return names
    }
}
