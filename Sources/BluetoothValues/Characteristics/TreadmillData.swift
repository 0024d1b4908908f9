/// What a treadmill measures.
///
/// A machine sends a value in several packets if it is long. Only the last of them has the speed.
public struct TreadmillData: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2ACD

    /// The speed in km/h; nil if it is not sent.
    public var speed: Double?
    /// The average speed of the session in km/h; nil if it is not sent.
    public var averageSpeed: Double?
    /// The distance of the session in m; nil if it is not sent.
    public var distance: Double?
    /// The inclination in percent; nil if it is not sent or not known.
    public var inclination: Double?
    /// The angle of the ramp in degrees; nil if it is not sent or not known.
    public var rampAngle: Double?
    /// The height gained in m; nil if it is not sent or not known.
    public var elevationGain: Double?
    /// The height lost in m; nil if it is not sent or not known.
    public var elevationLoss: Double?
    /// The time for 500 m in seconds; nil if it is not sent.
    public var pace: Double?
    /// The average time for 500 m in seconds; nil if it is not sent.
    public var averagePace: Double?
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
    /// The force on the belt in N; nil if it is not sent or not known.
    public var beltForce: Double?
    /// The power in W; nil if it is not sent or not known.
    public var power: Double?

    /// Makes a value.
    public init(
        speed: Double? = nil, averageSpeed: Double? = nil, distance: Double? = nil, inclination: Double? = nil,
        rampAngle: Double? = nil, elevationGain: Double? = nil, elevationLoss: Double? = nil, pace: Double? = nil,
        averagePace: Double? = nil, energy: Double? = nil, energyPerHour: Double? = nil, energyPerMinute: Double? = nil,
        heartRate: Double? = nil, metabolicEquivalent: Double? = nil, elapsedTime: Double? = nil,
        remainingTime: Double? = nil, beltForce: Double? = nil, power: Double? = nil
    ) {
        self.speed = speed
        self.averageSpeed = averageSpeed
        self.distance = distance
        self.inclination = inclination
        self.rampAngle = rampAngle
        self.elevationGain = elevationGain
        self.elevationLoss = elevationLoss
        self.pace = pace
        self.averagePace = averagePace
        self.energy = energy
        self.energyPerHour = energyPerHour
        self.energyPerMinute = energyPerMinute
        self.heartRate = heartRate
        self.metabolicEquivalent = metabolicEquivalent
        self.elapsedTime = elapsedTime
        self.remainingTime = remainingTime
        self.beltForce = beltForce
        self.power = power
    }

    private static let table = ValueTable<TreadmillData>(
        0x2ACD, empty: TreadmillData(),
        [
            .optional("Instantaneous Speed", \.speed),
            .optional("Average Speed", \.averageSpeed),
            .optional("Total Distance", \.distance),
            .optional("Inclination", \.inclination),
            .optional("Ramp Angle Setting", \.rampAngle),
            .optional("Positive Elevation Gain", \.elevationGain),
            .optional("Negative Elevation Gain", \.elevationLoss),
            .optional("Instantaneous Pace", \.pace),
            .optional("Average Pace", \.averagePace),
            .optional("Total Energy", \.energy),
            .optional("Energy Per Hour", \.energyPerHour),
            .optional("Energy Per Minute", \.energyPerMinute),
            .optional("Heart Rate", \.heartRate),
            .optional("Metabolic Equivalent", \.metabolicEquivalent),
            .optional("Elapsed Time", \.elapsedTime),
            .optional("Remaining Time", \.remainingTime),
            .optional("Force On Belt", \.beltForce),
            .optional("Power Output", \.power),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
