/// The devices that ``GatewayConfiguration/devices`` does not contain. Anyone can send with any number of addresses.
public struct OtherDeviceSettings: Hashable, Sendable {
    /// Whether such devices are published at all.
    public var arePublished = true
    /// The largest number that is published at once. Further ones are ignored until some have left.
    public var maximum = 1_000
    /// The most messages in a minute on average, of all such devices together.
    public var messagesPerMinute = 6_000

    /// Creates the default limits.
    public init() {}
}

extension HomeAssistantSettings {
    /// Which devices Home Assistant discovers.
    public enum Discovery: String, Hashable, Sendable, CaseIterable {
        /// Those of ``GatewayConfiguration/devices``.
        case configured
        /// Also other devices with a known format, up to ``HomeAssistantSettings/discoveryLimit``.
        case knownFormats = "known-formats"
        /// None. The gateway itself is discovered.
        case none
    }
}
