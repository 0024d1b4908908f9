/// What a rowing machine measures.
///
/// A machine sends a value in several packets if it is long. Only the last of them has the rate and number of strokes.
public struct RowerData: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AD1

    /// The strokes in a minute; nil if they are not sent.
    public var strokeRate: Double?
    /// The strokes of the session; nil if they are not sent.
    public var strokes: Int?
    /// The average strokes in a minute; nil if they are not sent.
    public var averageStrokeRate: Double?
    /// The distance of the session in m; nil if it is not sent.
    public var distance: Double?
    /// The time for 500 m in seconds; nil if it is not sent.
    public var pace: Double?
    /// The average time for 500 m in seconds; nil if it is not sent.
    public var averagePace: Double?
    /// The power in W; nil if it is not sent.
    public var power: Double?
    /// The average power of the session in W; nil if it is not sent.
    public var averagePower: Double?
    /// The level of resistance; nil if it is not sent.
    public var resistance: Double?
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
        strokeRate: Double? = nil, strokes: Int? = nil, averageStrokeRate: Double? = nil, distance: Double? = nil,
        pace: Double? = nil, averagePace: Double? = nil, power: Double? = nil, averagePower: Double? = nil,
        resistance: Double? = nil, energy: Double? = nil, energyPerHour: Double? = nil, energyPerMinute: Double? = nil,
        heartRate: Double? = nil, metabolicEquivalent: Double? = nil, elapsedTime: Double? = nil,
        remainingTime: Double? = nil
    ) {
        self.strokeRate = strokeRate
        self.strokes = strokes
        self.averageStrokeRate = averageStrokeRate
        self.distance = distance
        self.pace = pace
        self.averagePace = averagePace
        self.power = power
        self.averagePower = averagePower
        self.resistance = resistance
        self.energy = energy
        self.energyPerHour = energyPerHour
        self.energyPerMinute = energyPerMinute
        self.heartRate = heartRate
        self.metabolicEquivalent = metabolicEquivalent
        self.elapsedTime = elapsedTime
        self.remainingTime = remainingTime
    }

    private static let table = ValueTable<RowerData>(
        0x2AD1, empty: RowerData(),
        [
            .optional("Stroke Rate", \.strokeRate),
            .optionalInteger("Stroke Count", \.strokes),
            .optional("Average Stroke Rate", \.averageStrokeRate),
            .optional("Total Distance", \.distance),
            .optional("Instantaneous Pace", \.pace),
            .optional("Average Pace", \.averagePace),
            .optional("Instantaneous Power", \.power),
            .optional("Average Power", \.averagePower),
            .optional("Resistance Level", \.resistance),
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
