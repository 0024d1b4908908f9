/// The counters of the last packets of devices.
///
/// Counters that the encryption protects are stored apart from the others. So a packet without encryption neither
/// changes nor removes them.
struct PacketHistory: Sendable {
    /// A counter of a device. Each format counts its packets separately, and so do its plain and encrypted packets.
    struct Source: Hashable, Sendable {
        let identity: SenderAddress
        /// The type of the format, because it is cheaper to compare than the name.
        let format: ObjectIdentifier
        let isEncrypted: Bool

        /// Omits the format, because hashing takes longer than the few comparisons that this costs.
        func hash(into hasher: inout Hasher) { hasher.combine(identity.number << 1 | (isEncrypted ? 1 : 0)) }
    }

    /// The largest number of counters that are not protected.
    var limit: Int
    private var protected: [Source: UInt32] = [:]
    private var others: [Source: UInt32] = [:]

    init(limit: Int) { self.limit = limit }

    func last(of source: Source, isProtected: Bool) -> UInt32? { isProtected ? protected[source] : others[source] }

    mutating func store(_ counter: UInt32, of source: Source, isProtected: Bool) {
        guard !isProtected else {
            protected[source] = counter
            return
        }
        // Packets with changing addresses must not fill the memory.
        if others.count >= limit, others[source] == nil { others.removeAll() }
        others[source] = counter
    }

    /// Removes all counters of a device.
    mutating func forget(_ identity: SenderAddress) {
        protected = protected.filter { $0.key.identity != identity }
        others = others.filter { $0.key.identity != identity }
    }
}
