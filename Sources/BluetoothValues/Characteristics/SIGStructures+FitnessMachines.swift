extension SIGStructures {
    // Table: structures of what fitness machines measure, 2ACD to 2AD2. Common fields are below.
    static let ofFitnessMachines: [CharacteristicStructure] = [
        .init(
            0x2ACD, "Treadmill Data",
            [
                .field("Flags", .u16),
                .speed("Instantaneous Speed", if: .noBit(0)),
                .speed("Average Speed", if: .bit(1)),
                .totalDistance(if: .bit(2)),
                .inclination(ramp: "Ramp Angle Setting", if: .bit(3)),
                .elevationGain("Positive Elevation Gain", .tenth, if: .bit(4)),
                .elevationGain("Negative Elevation Gain", .tenth, if: .bit(4)),
                .pace("Instantaneous Pace", if: .bit(5)),
                .pace("Average Pace", if: .bit(6)),
                .energy(if: .bit(7)),
                .heartRate(if: .bit(8)),
                .metabolicEquivalent(if: .bit(9)),
                .time("Elapsed Time", if: .bit(10)),
                .time("Remaining Time", if: .bit(11)),
                .field("Force On Belt", .s16, .one, .newton, unknown: 0x7FFF, if: .bit(12)),
                .power("Power Output", unknown: 0x7FFF, if: .bit(12)),
            ]),
        .init(
            0x2ACE, "Cross Trainer Data",
            [
                .field("Flags", .u24),
                .speed("Instantaneous Speed", if: .noBit(0)),
                .speed("Average Speed", if: .bit(1)),
                .totalDistance(if: .bit(2)),
                .stepRate("Steps Per Minute", unknown: 0xFFFF, if: .bit(3)),
                .stepRate("Average Step Rate", unknown: 0xFFFF, if: .bit(3)),
                .field("Stride Count", .u16, .tenth, if: .bit(4)),
                .elevationGain("Positive Elevation Gain", .one, if: .bit(5)),
                .elevationGain("Negative Elevation Gain", .one, if: .bit(5)),
                .inclination(ramp: "Ramp Setting", if: .bit(6)),
                .resistanceLevel(if: .bit(7)),
                .power("Instantaneous Power", if: .bit(8)),
                .power("Average Power", if: .bit(9)),
                .energy(if: .bit(10)),
                .heartRate(if: .bit(11)),
                .metabolicEquivalent(if: .bit(12)),
                .time("Elapsed Time", if: .bit(13)),
                .time("Remaining Time", if: .bit(14)),
            ]),
        .init(
            0x2ACF, "Step Climber Data",
            [
                .field("Flags", .u16),
                .field("Floors", .u16, if: .noBit(0)),
                .field("Step Count", .u16, if: .noBit(0)),
                .stepRate("Steps Per Minute", if: .bit(1)),
                .stepRate("Average Step Rate", if: .bit(2)),
                .elevationGain("Positive Elevation Gain", .one, if: .bit(3)),
                .energy(if: .bit(4)),
                .heartRate(if: .bit(5)),
                .metabolicEquivalent(if: .bit(6)),
                .time("Elapsed Time", if: .bit(7)),
                .time("Remaining Time", if: .bit(8)),
            ]),
        .init(
            0x2AD0, "Stair Climber Data",
            [
                .field("Flags", .u16),
                .field("Floors", .u16, if: .noBit(0)),
                .stepRate("Steps Per Minute", if: .bit(1)),
                .stepRate("Average Step Rate", if: .bit(2)),
                .elevationGain("Positive Elevation Gain", .one, if: .bit(3)),
                .field("Stride Count", .u16, if: .bit(4)),
                .energy(if: .bit(5)),
                .heartRate(if: .bit(6)),
                .metabolicEquivalent(if: .bit(7)),
                .time("Elapsed Time", if: .bit(8)),
                .time("Remaining Time", if: .bit(9)),
            ]),
        .init(
            0x2AD1, "Rower Data",
            [
                .field("Flags", .u16),
                .field("Stroke Rate", .u8, .over(2), .perMinute, if: .noBit(0)),
                .field("Stroke Count", .u16, if: .noBit(0)),
                .field("Average Stroke Rate", .u8, .over(2), .perMinute, if: .bit(1)),
                .totalDistance(if: .bit(2)),
                .pace("Instantaneous Pace", if: .bit(3)),
                .pace("Average Pace", if: .bit(4)),
                .power("Instantaneous Power", if: .bit(5)),
                .power("Average Power", if: .bit(6)),
                .resistanceLevel(if: .bit(7)),
                .energy(if: .bit(8)),
                .heartRate(if: .bit(9)),
                .metabolicEquivalent(if: .bit(10)),
                .time("Elapsed Time", if: .bit(11)),
                .time("Remaining Time", if: .bit(12)),
            ]),
        .init(
            0x2AD2, "Indoor Bike Data",
            [
                .field("Flags", .u16),
                .speed("Instantaneous Speed", if: .noBit(0)),
                .speed("Average Speed", if: .bit(1)),
                .field("Instantaneous Cadence", .u16, .over(2), .perMinute, if: .bit(2)),
                .field("Average Cadence", .u16, .over(2), .perMinute, if: .bit(3)),
                .totalDistance(if: .bit(4)),
                .resistanceLevel(if: .bit(5)),
                .power("Instantaneous Power", if: .bit(6)),
                .power("Average Power", if: .bit(7)),
                .energy(if: .bit(8)),
                .heartRate(if: .bit(9)),
                .metabolicEquivalent(if: .bit(10)),
                .time("Elapsed Time", if: .bit(11)),
                .time("Remaining Time", if: .bit(12)),
            ]),
    ]
}

// The fields that several machines have in common. Some share a flag: a machine that measures only one of them sends a
// number that means not known for the other. Source: Fitness Machine Service 1.0.
extension [CharacteristicStructure.Field] {
    fileprivate static func speed(_ name: String, if condition: FieldCondition) -> Self {
        field(name, .u16, .hundredth, .kilometrePerHour, if: condition)
    }

    fileprivate static func totalDistance(if condition: FieldCondition) -> Self {
        field("Total Distance", .u24, .one, .metre, if: condition)
    }

    fileprivate static func stepRate(_ name: String, unknown: Int64? = nil, if condition: FieldCondition) -> Self {
        field(name, .u16, .one, .perMinute, unknown: unknown, if: condition)
    }

    /// The inclination and the angle of the ramp.
    fileprivate static func inclination(ramp: String, if condition: FieldCondition) -> Self {
        field("Inclination", .s16, .tenth, .percent, unknown: 0x7FFF, if: condition)
            + field(ramp, .s16, .tenth, .degree, unknown: 0x7FFF, if: condition)
    }

    /// The height gained or lost. Treadmills send tenths of a metre, other machines whole metres.
    fileprivate static func elevationGain(_ name: String, _ scale: Scale, if condition: FieldCondition) -> Self {
        field(name, .u16, scale, .metre, unknown: 0xFFFF, if: condition)
    }

    /// The time for 500 m.
    fileprivate static func pace(_ name: String, if condition: FieldCondition) -> Self {
        field(name, .u16, .one, .second, if: condition)
    }

    /// Most machines send two bytes, as the service's specification of 2017. The supplement has one.
    fileprivate static func resistanceLevel(if condition: FieldCondition) -> Self {
        field("Resistance Level", .level(wide: .one), if: condition)
    }

    fileprivate static func power(_ name: String, unknown: Int64? = nil, if condition: FieldCondition) -> Self {
        field(name, .s16, .one, .watt, unknown: unknown, if: condition)
    }

    /// The energy of the session, in an hour, and in a minute.
    fileprivate static func energy(if condition: FieldCondition) -> Self {
        field("Total Energy", .u16, .one, .kilocalorie, unknown: 0xFFFF, if: condition)
            + field("Energy Per Hour", .u16, .one, .kilocalorie, unknown: 0xFFFF, if: condition)
            + field("Energy Per Minute", .u8, .one, .kilocalorie, unknown: 0xFF, if: condition)
    }

    fileprivate static func heartRate(if condition: FieldCondition) -> Self {
        field("Heart Rate", .u8, .one, .beatsPerMinute, if: condition)
    }

    fileprivate static func metabolicEquivalent(if condition: FieldCondition) -> Self {
        field("Metabolic Equivalent", .u8, .tenth, .metabolicEquivalent, if: condition)
    }

    /// The time of the session that has elapsed or remains.
    fileprivate static func time(_ name: String, if condition: FieldCondition) -> Self {
        field(name, .u16, .one, .second, if: condition)
    }
}
