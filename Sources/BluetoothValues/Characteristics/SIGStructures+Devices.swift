extension SIGStructures {
    // Table: structures of fitness machines and other devices that only the specifications of the services have.
    // Source: Fitness Machine, Constant Tone Extension, Ranging and Cooking Service 1.0.
    static let ofDevices: [CharacteristicStructure] = [
        .init(
            0x2ACC, "Fitness Machine Feature",
            [.field("Fitness Machine Features", .u32), .field("Target Setting Features", .u32)]),
        .init(
            0x2AD3, "Training Status",
            [.field("Flags", .u8), .field("Training Status", .u8), .field("Text", .text, if: .bit(0))]),
        .init(0x2AD9, "Fitness Machine Control Point", ofControlPoint),
        .init(0x2ADA, "Fitness Machine Status", ofStatus),
        .init(0x2BAD, "Constant Tone Extension Enable", [.field("State", .u8)]),
        .init(
            0x2BAE, "Advertising Constant Tone Extension Minimum Length",
            [.field("Minimum Length", .u8, .times(8, over: 1_000_000), .second)]),
        .init(
            0x2BAF, "Advertising Constant Tone Extension Minimum Transmit Count", [.field("Minimum Count", .u8)]),
        .init(
            0x2BB0, "Advertising Constant Tone Extension Transmit Duration",
            [.field("Transmit Duration", .u8, .hundredth, .second)]),
        .init(
            0x2BB1, "Advertising Constant Tone Extension Interval",
            [.field("Interval", .u16, .over(800), .second)]),
        .init(0x2BB2, "Advertising Constant Tone Extension PHY", [.field("PHY", .u8)]),
        .init(0x2C14, "RAS Features", [.field("RAS Features", .u32)]),
        .init(0x2C18, "Ranging Data Ready", [.field("Ranging Counter", .u16)]),
        .init(0x2C19, "Ranging Data Overwritten", [.field("Ranging Counter", .u16)]),
        .init(
            0x2C2F, "Cooking Zone Perceived Power", [.field("Cooking Zone Perceived Power", .u16, .tenth, .percent)]),
    ]

    /// The parameters of the simulation of a bike.
    private static func simulation(if condition: FieldCondition) -> [[CharacteristicStructure.Field]] {
        [
            .field("Wind Speed", .s16, .thousandth, .metrePerSecond, if: condition),
            .field("Grade", .s16, .hundredth, .percent, if: condition),
            .field("Rolling Resistance", .u8, .over(10_000), if: condition),
            .field("Wind Resistance", .u8, .hundredth, if: condition),
        ]
    }

    private static let ofControlPoint: [[CharacteristicStructure.Field]] =
        [
            .field("Op Code", .u8),
            .field("Target Speed", .u16, .hundredth, .kilometrePerHour, if: .first(0x02)),
            .field("Target Inclination", .s16, .tenth, .percent, if: .first(0x03)),
            .field("Target Resistance Level", .level(wide: .tenth), .tenth, if: .first(0x04)),
            .field("Target Power", .s16, .one, .watt, if: .first(0x05)),
            .field("Target Heart Rate", .u8, .one, .beatsPerMinute, if: .first(0x06)),
            .field("Stop or Pause", .u8, if: .first(0x08)),
            .field("Targeted Energy", .u16, .one, .kilocalorie, if: .first(0x09)),
            .field("Targeted Number of Steps", .u16, if: .first(0x0A)),
            .field("Targeted Number of Strides", .u16, if: .first(0x0B)),
            .field("Targeted Distance", .u24, .one, .metre, if: .first(0x0C)),
            .field("Targeted Training Time", .u16, .one, .second, if: .first(0x0D)),
        ] + simulation(if: .first(0x11)) + [
            .field("Wheel Circumference", .u16, .over(10_000), .metre, if: .first(0x12)),
            .field("Spin Down", .u8, if: .first(0x13)),
            .field("Targeted Cadence", .u16, .over(2), .perMinute, if: .first(0x14)),
            .field("Request", .u8, if: .first(0x80)),
            .field("Result", .u8, if: .first(0x80)),
            .field("Parameter", .rest, if: .more),
        ]

    private static let ofStatus: [[CharacteristicStructure.Field]] =
        [
            .field("Op Code", .u8),
            .field("Stop or Pause", .u8, if: .first(0x02)),
            .field("Target Speed", .u16, .hundredth, .kilometrePerHour, if: .first(0x05)),
            .field("Target Inclination", .s16, .tenth, .percent, if: .first(0x06)),
            .field("Target Resistance Level", .level(wide: .tenth), .tenth, if: .first(0x07)),
            .field("Target Power", .s16, .one, .watt, if: .first(0x08)),
            .field("Target Heart Rate", .u8, .one, .beatsPerMinute, if: .first(0x09)),
            .field("Targeted Energy", .u16, .one, .kilocalorie, if: .first(0x0A)),
            .field("Targeted Number of Steps", .u16, if: .first(0x0B)),
            .field("Targeted Number of Strides", .u16, if: .first(0x0C)),
            .field("Targeted Distance", .u24, .one, .metre, if: .first(0x0D)),
            .field("Targeted Training Time", .u16, .one, .second, if: .first(0x0E)),
        ] + simulation(if: .first(0x12)) + [
            .field("Wheel Circumference", .u16, .over(10_000), .metre, if: .first(0x13)),
            .field("Spin Down Status", .u8, if: .first(0x14)),
            .field("Targeted Cadence", .u16, .over(2), .perMinute, if: .first(0x15)),
            .field("Parameter", .rest, if: .more),
        ]
}
