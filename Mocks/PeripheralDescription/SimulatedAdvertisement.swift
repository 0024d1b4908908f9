/// The advertisement that a peripheral sends while it is not connected.
///
/// Fields that are nil or empty are not sent.
public struct SimulatedAdvertisement: Sendable {
    /// The time between two advertisements. Rounded up to whole milliseconds.
    public var interval: Duration
    /// The received signal strength, in dBm.
    public var rssi: Int
    /// The largest random deviation from ``rssi``, in dB.
    public var jitter: Int
    /// The bytes of the complete local name. They need not be UTF-8.
    public var name: [UInt8]?
    /// Whether the peripheral accepts connections.
    public var isConnectable: Bool
    /// The transmit power, in dBm.
    public var txPower: Int8?
    /// The service UUIDs, of 16, 32 or 128 bits, as text.
    public var services: [String]
    /// Manufacturer data by company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Service data by service UUID.
    public var serviceData: [String: [UInt8]]
    /// The GAP appearance, for example 0x0341 for a heart-rate belt.
    public var appearance: UInt16?
    /// The flags; nil for no flags. An unfiltered scan does not report advertisements without flags.
    public var flags: UInt8?
    /// The time from the start of a scan to the first advertisement.
    ///
    /// If nil, the scenario's seed determines the time. It is at most one interval and at most 0.18 s.
    public var firstAfter: Duration?
    /// The sensor with data that is added to ``manufacturerData`` or ``serviceData``; nil for none.
    public var sensor: SimulatedSensor?

    /// Creates an advertisement. The name is sent in UTF-8.
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
