/// What a peripheral sends out while nobody is connected to it. A field that is nil or empty is not sent.
public struct SimulatedAdvertisement: Sendable {
    /// The time from one advertisement to the next. Rounded up to whole milliseconds.
    public var interval: Duration
    /// How strongly it is received, in dBm.
    public var rssi: Int
    /// How far the received strength strays from ``rssi`` to either side, in dB.
    public var jitter: Int
    /// The complete local name, byte for byte as it is sent; it need not be UTF-8.
    public var name: [UInt8]?
    /// Whether it accepts connections.
    public var isConnectable: Bool
    /// The transmit power, in dBm.
    public var txPower: Int8?
    /// The service UUIDs, of 16, 32 or 128 bits, as text.
    public var services: [String]
    /// Data by company number.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Data by service UUID.
    public var serviceData: [String: [UInt8]]
    /// The GAP appearance, for example 0x0341 for a heart-rate belt.
    public var appearance: UInt16?
    /// The flags; nil for an advertisement without that field, which an unfiltered scan does not report (Q45).
    public var flags: UInt8?
    /// When the first one comes after a scan has begun; nil for a moment that the scenario's seed decides, within
    /// one interval and 0.18 s.
    public var firstAfter: Duration?

    /// Makes an advertisement with a name that is text.
    public init(
        every interval: Duration, rssi: Int, jitter: Int = 0, name: String? = nil, connectable: Bool = true,
        txPower: Int8? = nil, services: [String] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [String: [UInt8]] = [:], appearance: UInt16? = nil, flags: UInt8? = 0x06,
        firstAfter: Duration? = nil
    ) {
        self.interval = interval
        self.rssi = rssi
        self.jitter = jitter
        self.name = name.map { Array($0.utf8) }
        isConnectable = connectable
        self.txPower = txPower
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
        self.flags = flags
        self.firstAfter = firstAfter
    }
}
