/// Meal, exercise and medication of a glucose measurement.
public struct GlucoseMeasurementContext: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A34

    /// The number of the measurement that this belongs to.
    public var sequenceNumber: Int
    /// The reserved bits of the extended flags; nil if they are not sent.
    public var extendedFlags: Int?
    /// 1 breakfast, 2 lunch, 3 dinner, 4 snack, 5 drink, 6 supper, 7 brunch; nil if it is not sent.
    public var carbohydrateKind: Int?
    /// The carbohydrates in kg; sent together with `carbohydrateKind`.
    public var carbohydrate: MedicalFloat?
    /// 1 before a meal, 2 after it, 3 fasting, 4 casual, 5 at bedtime; nil if it is not sent.
    public var meal: Int?
    /// 1 the person, 2 a professional, 3 a laboratory, 15 unknown; sent together with `health`.
    public var tester: Int?
    /// 1 minor issue, 2 major issue, 3 menses, 4 stress, 5 none, 15 unknown; sent together with `tester`.
    public var health: Int?
    /// The seconds of exercise, 65,535 for longer; sent together with `exerciseIntensity`.
    public var exerciseDuration: Double?
    /// The intensity in percent; sent together with `exerciseDuration`.
    public var exerciseIntensity: Double?
    /// 1 to 4: rapid, short, intermediate, long acting insulin; 5 pre-mixed; nil if it is not sent.
    public var medicationKind: Int?
    /// The medication in kg, or in l if `isMedicationVolume`; sent together with `medicationKind`.
    public var medication: MedicalFloat?
    /// Whether the medication is a volume.
    public var isMedicationVolume: Bool
    /// The glycated haemoglobin in percent; nil if it is not sent.
    public var hemoglobin: MedicalFloat?

    /// Makes a value.
    public init(
        sequenceNumber: Int, extendedFlags: Int? = nil, carbohydrateKind: Int? = nil, carbohydrate: MedicalFloat? = nil,
        meal: Int? = nil, tester: Int? = nil, health: Int? = nil, exerciseDuration: Double? = nil,
        exerciseIntensity: Double? = nil, medicationKind: Int? = nil, medication: MedicalFloat? = nil,
        isMedicationVolume: Bool = false, hemoglobin: MedicalFloat? = nil
    ) {
        self.sequenceNumber = sequenceNumber
        self.extendedFlags = extendedFlags
        self.carbohydrateKind = carbohydrateKind
        self.carbohydrate = carbohydrate
        self.meal = meal
        self.tester = tester
        self.health = health
        self.exerciseDuration = exerciseDuration
        self.exerciseIntensity = exerciseIntensity
        self.medicationKind = medicationKind
        self.medication = medication
        self.isMedicationVolume = isMedicationVolume
        self.hemoglobin = hemoglobin
    }

    private static let table = ValueTable<GlucoseMeasurementContext>(
        0x2A34, empty: GlucoseMeasurementContext(sequenceNumber: 0),
        [
            .integer("Sequence Number", \.sequenceNumber),
            .optionalInteger("Extended Flags", \.extendedFlags),
            .optionalInteger("Carbohydrate ID", \.carbohydrateKind),
            .optionalMedical("Carbohydrate", \.carbohydrate),
            .optionalInteger("Meal", \.meal),
            .optionalInteger("Tester", \.tester),
            .optionalInteger("Health", \.health),
            .optional("Exercise Duration", \.exerciseDuration),
            .optional("Exercise Intensity", \.exerciseIntensity),
            .optionalInteger("Medication ID", \.medicationKind),
            .optionalMedical("Medication", \.medication),
            .flag(5, \.isMedicationVolume),
            .optionalMedical("HbA1c", \.hemoglobin),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
