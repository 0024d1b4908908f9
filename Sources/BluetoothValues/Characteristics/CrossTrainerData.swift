/// What a cross trainer measures.
///
/// A machine sends a value in several packets if it is long. Only the last of them has the speed.
public struct CrossTrainerData: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2ACE

    /// The speed in km/h; nil if it is not sent.
    public var speed: Double?
    /// The average speed of the session in km/h; nil if it is not sent.
    public var averageSpeed: Double?
    /// The distance of the session in m; nil if it is not sent.
    public var distance: Double?
    /// The steps in a minute; nil if they are not sent or not known.
    public var stepRate: Double?
    /// The average steps in a minute; nil if they are not sent or not known.
    public var averageStepRate: Double?
    /// The strides of the session; nil if they are not sent.
    public var strides: Double?
    /// The height gained in m; nil if it is not sent or not known.
    public var elevationGain: Double?
    /// The height lost in m; nil if it is not sent or not known.
    public var elevationLoss: Double?
    /// The inclination in percent; nil if it is not sent or not known.
    public var inclination: Double?
    /// The angle of the ramp in degrees; nil if it is not sent or not known.
    public var rampAngle: Double?
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
    /// Whether the user moves backward.
    public var isBackward: Bool

    /// Makes a value.
    public init(
        speed: Double? = nil, averageSpeed: Double? = nil, distance: Double? = nil, stepRate: Double? = nil,
        averageStepRate: Double? = nil, strides: Double? = nil, elevationGain: Double? = nil,
        elevationLoss: Double? = nil, inclination: Double? = nil, rampAngle: Double? = nil, resistance: Double? = nil,
        power: Double? = nil, averagePower: Double? = nil, energy: Double? = nil, energyPerHour: Double? = nil,
        energyPerMinute: Double? = nil, heartRate: Double? = nil, metabolicEquivalent: Double? = nil,
        elapsedTime: Double? = nil, remainingTime: Double? = nil, isBackward: Bool = false
    ) {
        self.speed = speed
        self.averageSpeed = averageSpeed
        self.distance = distance
        self.stepRate = stepRate
        self.averageStepRate = averageStepRate
        self.strides = strides
        self.elevationGain = elevationGain
        self.elevationLoss = elevationLoss
        self.inclination = inclination
        self.rampAngle = rampAngle
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
        self.isBackward = isBackward
    }

    private static let table = ValueTable<CrossTrainerData>(
        0x2ACE, empty: CrossTrainerData(),
        [
            .optional("Instantaneous Speed", \.speed),
            .optional("Average Speed", \.averageSpeed),
            .optional("Total Distance", \.distance),
            .optional("Steps Per Minute", \.stepRate),
            .optional("Average Step Rate", \.averageStepRate),
            .optional("Stride Count", \.strides),
            .optional("Positive Elevation Gain", \.elevationGain),
            .optional("Negative Elevation Gain", \.elevationLoss),
            .optional("Inclination", \.inclination),
            .optional("Ramp Setting", \.rampAngle),
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
            .flag(15, \.isBackward),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
