/// How many encrypted packets prove that a device counts from the beginning again.
///
/// After a change of its battery, a device may send counters that are lower than before. So may an attacker with
/// recorded packets. The restart is accepted if this number of packets decrypt, have rising counters with at most 255
/// missing between two, come over at least this time, and no packet continues the old counter in between. Until then,
/// each packet fails with ``ValueDecodingError/Reason/replayed(counter:last:)``. A device that is in range and sends at
/// intervals below this time interrupts every recording that is played back. If the old counter continues after a
/// restart was accepted, no later one is accepted until ``SensorDecoder/forgetCounter(of:)``.
///
/// After a restart, packets up to the highest counter before it need the same proof if more than 255 are missing
/// between the last packet and them, so that a single recorded packet is not accepted as a later one.
public struct RestartProof: Hashable, Sendable {
    /// The number of packets. Values below 1 are treated as 1.
    public var packets: Int
    /// The time from the first to the last of the packets.
    public var duration: Duration

    /// Makes a rule. The default is four packets in 5 s.
    public init(packets: Int = 4, duration: Duration = .seconds(5)) {
        self.packets = packets
        self.duration = duration
    }
}
