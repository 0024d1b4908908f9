/// What an indoor bike measures.
///
/// A machine sends a value in several packets if it is long. Only the last of them has the speed.
public struct IndoorBikeData: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AD2

    /// The speed in km/h; nil if it is not sent.
    public var speed: Double?
    /// The average speed of the session in km/h; nil if it is not sent.
    public var averageSpeed: Double?
    /// The revolutions in a minute; nil if they are not sent.
    public var cadence: Double?
    /// The average revolutions in a minute; nil if they are not sent.
    public var averageCadence: Double?
    /// The distance of the session in m; nil if it is not sent.
    public var distance: Double?
    /// The level of resistance; nil if it is not sent.
    public var resistance: Double?
    /// The power in W; nil if it is not sent.
    public var power: Double?
    /// The average power of the session in W; nil if it is not sent.
    public var averagePower: Double?
    /// The energy of the session in kcal; nil if it is not sent or not known.
    public var energy: Double?
    /// The energy in an hour in kcal; nil if it is not sent or not known.
    public var energyPerHour: Double?
    /// The energy in a minute in kcal; nil if it is not sent or not known.
    public var energyPerMinute: Double?
    /// The heart rate in beats in a minute; nil if it is not sent.
    public var heartRate: Double?
    /// The metabolic equivalent; nil if it is not sent.
    public var metabolicEquivalent: Double?
    /// The time of the session in seconds; nil if it is not sent.
    public var elapsedTime: Double?
    /// The remaining time of the session in seconds; nil if it is not sent.
    public var remainingTime: Double?

    /// Makes a value.
    public init(
        speed: Double? = nil, averageSpeed: Double? = nil, cadence: Double? = nil, averageCadence: Double? = nil,
        distance: Double? = nil, resistance: Double? = nil, power: Double? = nil, averagePower: Double? = nil,
        energy: Double? = nil, energyPerHour: Double? = nil, energyPerMinute: Double? = nil, heartRate: Double? = nil,
        metabolicEquivalent: Double? = nil, elapsedTime: Double? = nil, remainingTime: Double? = nil
    ) {
        self.speed = speed
        self.averageSpeed = averageSpeed
        self.cadence = cadence
        self.averageCadence = averageCadence
        self.distance = distance
        self.resistance = resistance
        self.power = power
        self.averagePower = averagePower
        self.energy = energy
        self.energyPerHour = energyPerHour
        self.energyPerMinute = energyPerMinute
        self.heartRate = heartRate
        self.metabolicEquivalent = metabolicEquivalent
        self.elapsedTime = elapsedTime
        self.remainingTime = remainingTime
    }

    private static let table = ValueTable<IndoorBikeData>(
        0x2AD2, empty: IndoorBikeData(),
        [
            .optional("Instantaneous Speed", \.speed),
            .optional("Average Speed", \.averageSpeed),
            .optional("Instantaneous Cadence", \.cadence),
            .optional("Average Cadence", \.averageCadence),
            .optional("Total Distance", \.distance),
            .optional("Resistance Level", \.resistance),
            .optional("Instantaneous Power", \.power),
            .optional("Average Power", \.averagePower),
            .optional("Total Energy", \.energy),
            .optional("Energy Per Hour", \.energyPerHour),
            .optional("Energy Per Minute", \.energyPerMinute),
            .optional("Heart Rate", \.heartRate),
            .optional("Metabolic Equivalent", \.metabolicEquivalent),
            .optional("Elapsed Time", \.elapsedTime),
            .optional("Remaining Time", \.remainingTime),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
