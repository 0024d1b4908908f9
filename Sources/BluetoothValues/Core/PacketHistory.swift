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

    /// What the counter of a packet says about it.
    enum Outcome: Equatable {
        case new
        case repeated
        /// The packet proves that the device has restarted after this counter.
        case restarted(after: UInt32)
        /// The packet is older than the one with this counter.
        case replayed(last: UInt32)
    }

    /// Which lower counters are accepted.
    struct RestartRule {
        let limit: UInt32
        let proof: RestartProof?
    }

    /// The largest number of counters that are not protected.
    var limit: Int
    private var protected: [Source: ProtectedCounter] = [:]
    /// Whether a protected counter has changed since it was saved.
    private(set) var hasChanges = false
    private var others: [Source: UInt32] = [:]

    init(limit: Int) { self.limit = limit }

    /// Compares the counter of a packet with those of earlier packets, and stores it.
    mutating func receive(
        _ counter: UInt32, from source: Source, isProtected: Bool, at time: Duration?, _ rule: RestartRule
    ) -> Outcome {
        guard isProtected else { return receivePlain(counter, from: source) }
        // A change of the entry in place would allocate memory for each packet.
        var known = protected[source]
        let outcome = known?.receive(counter, at: time, rule) ?? .new
        switch outcome {
        case .repeated: return .repeated
        case .new, .restarted: hasChanges = true
        case .replayed: break
        }
        protected[source] = known ?? ProtectedCounter(last: counter)
        return outcome
    }

    private mutating func receivePlain(_ counter: UInt32, from source: Source) -> Outcome {
        let last = others.updateValue(counter, forKey: source)
        // Packets with changing addresses must not fill the memory.
        if last == nil, others.count > limit { others = [source: counter] }
        return last == counter ? .repeated : .new
    }

    /// The counters that are protected.
    var protectedCounters: [(source: Source, counter: ProtectedCounter)] { protected.map { ($0.key, $0.value) } }

    /// Continues with a protected counter of an earlier process, or of a key that was not in use for a while.
    mutating func restore(_ counter: ProtectedCounter, of source: Source) {
        protected[source] = counter
        hasChanges = hasChanges || counter.isChanged
    }

    /// Stores that a counter was saved. It stays changed if it has another value meanwhile.
    mutating func markSaved(_ saved: ProtectedCounter, of source: Source) { protected[source]?.markSaved(saved) }

    /// Finds out whether counters are left that have changed.
    mutating func updateChanges() { hasChanges = protected.values.contains(where: \.isChanged) }

    /// Removes all counters of a device.
    mutating func forget(_ identity: SenderAddress) {
        protected = protected.filter { $0.key.identity != identity }
        others = others.filter { $0.key.identity != identity }
    }
}

/// A counter that the encryption of a device protects.
///
/// After an accepted restart, the counters up to the highest one before it stay known. A packet with one of them is a
/// replay, unless it continues the new sequence with at most 255 missing, or completes the same proof as a restart.
/// Without the possibility of a proof, each later counter is accepted, because a device that was out of range for long
/// would be refused for good.
struct ProtectedCounter: Sendable {
    /// The counter of the last packet that was accepted.
    private(set) var last: UInt32
    /// The packets that may become the proof of a restart.
    private var candidate: Candidate?
    /// The counter before an accepted restart; nil if there was none.
    private(set) var before: UInt32?
    /// Whether the old counter continued after a restart. The restart was then made of recorded packets.
    private(set) var isRestartForged = false
    /// Whether it differs from what was saved.
    private(set) var isChanged = true

    /// Packets with lower counters that rise.
    private struct Candidate: Sendable {
        let began: Duration
        var last: UInt32
        var count: Int
    }

    /// The largest number of packets that may be missing between two of a proof, or after a restart.
    private static let mostMissing: UInt32 = 255
    /// A device that restarted counts one after another. A counter that jumps further continues the old ones.
    private static let furthestJump: UInt32 = 1 << 16

    init(last: UInt32) { self.last = last }

    /// A counter of an earlier process, as it was saved.
    init(saved last: UInt32, before: UInt32?, isRestartForged: Bool, isChanged: Bool = false) {
        self.last = last
        self.before = before
        self.isRestartForged = isRestartForged
        self.isChanged = isChanged
    }

    mutating func markSaved(_ saved: ProtectedCounter) {
        if (saved.last, saved.isRestartForged) == (last, isRestartForged), saved.before == before { isChanged = false }
    }

    mutating func receive(
        _ counter: UInt32, at time: Duration?, _ rule: PacketHistory.RestartRule
    ) -> PacketHistory.Outcome {
        if counter == last { return .repeated }
        // Half of the numbers are later than the last one, so that a counter may wrap.
        let step = counter &- last
        let isOlder = step >= 0x8000_0000
        let canProve = rule.proof != nil && time != nil && !isRestartForged
        let isRecorded = canProve && step - 1 > Self.mostMissing && before.map { step <= $0 &- last } ?? false
        guard isOlder || isRecorded, counter >= rule.limit else {
            if let before, !isOlder, step > before &- last {
                isRestartForged = isRestartForged || step > Self.furthestJump
                self.before = nil
            }
            candidate = nil
            last = counter
            isChanged = true
            return .new
        }
        guard proves(counter, at: time, rule.proof) else { return .replayed(last: last) }
        defer {
            before = max(before ?? 0, last)
            candidate = nil
            last = counter
            isChanged = true
        }
        return isOlder ? .restarted(after: last) : .new
    }

    /// Adds a packet to the proof of a restart. Returns whether the proof is complete.
    private mutating func proves(_ counter: UInt32, at time: Duration?, _ proof: RestartProof?) -> Bool {
        guard let proof, let time, !isRestartForged else { return false }
        guard var packets = candidate, counter >= packets.last, counter - packets.last <= Self.mostMissing else {
            candidate = Candidate(began: time, last: counter, count: 1)
            return proof.packets <= 1 && proof.duration <= .zero
        }
        if counter > packets.last { packets.count += 1 }
        packets.last = counter
        candidate = packets
        return packets.count >= proof.packets && time - packets.began >= proof.duration
    }
}
