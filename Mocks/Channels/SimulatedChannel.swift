/// An L2CAP channel that a simulated device serves or opens.
public struct SimulatedChannel: Sendable {
    /// How the device answers a request to open the channel.
    public enum Acceptance: Hashable, Sendable {
        /// The device opens the channel.
        case accepts
        /// The device refuses, for example because it has no room.
        case refuses
        /// The device never answers.
        case ignores
    }

    /// The largest packet that the device receives, in bytes.
    public var mtu: Int
    /// The largest fragment that the device receives, in bytes.
    public var mps: Int
    /// The time from the request until the channel is open. Default: 15 ms.
    public var delay: Duration
    /// How the device answers the request.
    public var acceptance: Acceptance
    /// The number of packets after which the device closes the channel; nil for never.
    public var closesAfter: Int?
    /// Returns the packets with which the device answers a packet.
    public var answer: @Sendable ([UInt8]) -> [[UInt8]]

    /// Creates a channel. By default, the device accepts it and answers nothing.
    public init(
        mtu: Int = 672, mps: Int = 247, delay: Duration = .milliseconds(15), acceptance: Acceptance = .accepts,
        closesAfter: Int? = nil, answer: @escaping @Sendable ([UInt8]) -> [[UInt8]] = { _ in [] }
    ) {
        self.mtu = mtu
        self.mps = mps
        self.delay = delay
        self.acceptance = acceptance
        self.closesAfter = closesAfter
        self.answer = answer
    }

    /// Returns a channel that sends each packet back.
    public static func echo(mtu: Int = 672) -> SimulatedChannel { SimulatedChannel(mtu: mtu) { [$0] } }
}
