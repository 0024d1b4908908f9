extension SIGStructures {
    // Table: structures from 2A84 to 2AD4, without those of fitness machines.
    static let from2A84: [CharacteristicStructure] = [
        .init(
            0x2A84, "Aerobic Heart Rate Upper Limit",
            [
                .field("Aerobic Heart Rate Upper Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(
            0x2A85, "Date of Birth",
            [
                .field("Year", .u16, .one, .year, unknown: 0, valid: 1582...9999, part: .year),
                .field("Month", .u8, unknown: 0, valid: 1...12, part: .month),
                .field("Day", .u8, .one, .day, unknown: 0, valid: 1...31, part: .day),
            ]),
        .init(
            0x2A86, "Date of Threshold Assessment",
            [
                .field("Year", .u16, .one, .year, unknown: 0, valid: 1582...9999, part: .year),
                .field("Month", .u8, unknown: 0, valid: 1...12, part: .month),
                .field("Day", .u8, .one, .day, unknown: 0, valid: 1...31, part: .day),
            ]),
        .init(0x2A87, "Email Address", [.field("Email Address", .text)]),
        .init(
            0x2A88, "Fat Burn Heart Rate Lower Limit",
            [
                .field("Fat Burn Heart Rate Lower Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(
            0x2A89, "Fat Burn Heart Rate Upper Limit",
            [
                .field("Fat Burn Heart Rate Upper Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(0x2A8A, "First Name", [.field("First Name", .text)]),
        .init(
            0x2A8B, "Five Zone Heart Rate Limits",
            [
                .field("Very Light / Light Limit", .u8, .one, .beatsPerMinute),
                .field("Light / Moderate Limit", .u8, .one, .beatsPerMinute),
                .field("Moderate / Hard Limit", .u8, .one, .beatsPerMinute),
                .field("Hard / Maximum Limit", .u8, .one, .beatsPerMinute),
            ]),
        .init(0x2A8C, "Gender", [.field("Gender", .u8)]),
        .init(0x2A8D, "Heart Rate Max", [.field("Heart Rate Max", .u8, .one, .beatsPerMinute)]),
        .init(0x2A8E, "Height", [.field("Height", .u16, .hundredth, .metre)]),
        .init(0x2A8F, "Hip Circumference", [.field("Hip Circumference", .u16, .hundredth, .metre)]),
        .init(0x2A90, "Last Name", [.field("Last Name", .text)]),
        .init(
            0x2A91, "Maximum Recommended Heart Rate",
            [
                .field("Maximum Recommended Heart Rate", .u8, .one, .beatsPerMinute)
            ]),
        .init(0x2A92, "Resting Heart Rate", [.field("Resting Heart Rate", .u8, .one, .beatsPerMinute)]),
        .init(
            0x2A93, "Sport Type for Aerobic and Anaerobic Thresholds",
            [
                .field("Sport Type for Aerobic and Anaerobic Thresholds", .u8)
            ]),
        .init(
            0x2A94, "Three Zone Heart Rate Limits",
            [
                .field("Light (Fat burn) / Moderate (Aerobic) Limit", .u8, .one, .beatsPerMinute),
                .field("Moderate (Aerobic) / Hard (Anaerobic) Limit", .u8, .one, .beatsPerMinute),
            ]),
        .init(
            0x2A95, "Two Zone Heart Rate Limits",
            [
                .field("Two Zone Heart Rate Limit - Fat Burn / Fitness Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(0x2A96, "VO2 Max", [.field("VO2 Max", .u8, .one, .millilitrePerKilogramMinute)]),
        .init(0x2A97, "Waist Circumference", [.field("Waist Circumference", .u16, .hundredth, .metre)]),
        .init(0x2A98, "Weight", [.field("Weight", .u16, .over(200), .kilogram)]),
        .init(0x2A99, "Database Change Increment", [.field("Database Change Increment", .u32)]),
        .init(0x2A9A, "User Index", [.field("User Index", .u8)]),
        .init(0x2A9B, "Body Composition Feature", [.field("Body Composition Feature", .u32)]),
        .init(
            0x2A9C, "Body Composition Measurement",
            [
                .field("Flags", .u16),
                .field("Body Fat Percentage", .u16, .tenth, .percent, special: [0xFFFF: .unsuccessful]),
                .date("Time Stamp", if: .bit(1)),
                .field("User ID", .u8, unknown: 255, if: .bit(2)),
                .field("Basal Metabolism", .u16, .times(1000), .joule, if: .bit(3)),
                .field("Muscle Percentage", .u16, .tenth, .percent, if: .bit(4)),
                .field("Muscle Mass", .u16, .over(200), .kilogram, if: .flags(mask: 0x21, value: 0x20)),
                .field("Muscle Mass", .u16, .hundredth, .pound, if: .flags(mask: 0x21, value: 0x21)),
                .field("Fat Free Mass", .u16, .over(200), .kilogram, if: .flags(mask: 0x41, value: 0x40)),
                .field("Fat Free Mass", .u16, .hundredth, .pound, if: .flags(mask: 0x41, value: 0x41)),
                .field("Soft Lean Mass", .u16, .over(200), .kilogram, if: .flags(mask: 0x81, value: 0x80)),
                .field("Soft Lean Mass", .u16, .hundredth, .pound, if: .flags(mask: 0x81, value: 0x81)),
                .field("Body Water Mass", .u16, .over(200), .kilogram, if: .flags(mask: 0x101, value: 0x100)),
                .field("Body Water Mass", .u16, .hundredth, .pound, if: .flags(mask: 0x101, value: 0x101)),
                .field("Impedance", .u16, .tenth, .ohm, if: .bit(9)),
                .field("Weight", .u16, .over(200), .kilogram, if: .flags(mask: 0x401, value: 0x400)),
                .field("Weight", .u16, .hundredth, .pound, if: .flags(mask: 0x401, value: 0x401)),
                .field("Height", .u16, .thousandth, .metre, if: .flags(mask: 0x801, value: 0x800)),
                .field("Height", .u16, .tenth, .inch, if: .flags(mask: 0x801, value: 0x801)),
            ]),
        .init(
            0x2A9D, "Weight Measurement",
            [
                .field("Flags", .u8),
                .field("Weight", .u16, .over(200), .kilogram, special: [0xFFFF: .unsuccessful], if: .noBit(0)),
                .field("Weight", .u16, .hundredth, .pound, special: [0xFFFF: .unsuccessful], if: .bit(0)),
                .date("Time Stamp", if: .bit(1)),
                .field("User ID", .u8, unknown: 255, if: .bit(2)),
                .field("BMI", .u16, .tenth, .kilogramPerSquareMetre, if: .bit(3)),
                .field("Height", .u16, .thousandth, .metre, if: .flags(mask: 0x09, value: 0x08)),
                .field("Height", .u16, .tenth, .inch, if: .flags(mask: 0x09, value: 0x09)),
            ]),
        .init(0x2A9E, "Weight Scale Feature", [.field("Weight Scale Feature", .u32)]),
        .init(
            0x2AA0, "Magnetic Flux Density - 2D",
            [
                .field("X-Axis", .s16, .over(10000000), .tesla),
                .field("Y-Axis", .s16, .over(10000000), .tesla),
            ]),
        .init(
            0x2AA1, "Magnetic Flux Density - 3D",
            [
                .field("X-Axis", .s16, .over(10000000), .tesla),
                .field("Y-Axis", .s16, .over(10000000), .tesla),
                .field("Z-Axis", .s16, .over(10000000), .tesla),
            ]),
        .init(0x2AA2, "Language", [.field("Language", .text)]),
        .init(0x2AA3, "Barometric Pressure Trend", [.field("Barometric Pressure Trend", .u8)]),
        .init(
            0x2AA7, "CGM Measurement", isSequence: true,
            [
                .field("Flags", .u8),
                .field("CGM Glucose Concentration", .sfloat, .one, .milligramPerDecilitre),
                .field("Time Offset", .u16, .one, .minute),
                .field("Status", .u8, if: .bit(7)),
                .field("Cal/Temp", .u8, if: .bit(6)),
                .field("Warning", .u8, if: .bit(5)),
                .field("CGM Trend Information", .sfloat, .one, .milligramPerDecilitreMinute, if: .bit(0)),
                .field("CGM Quality", .sfloat, .one, .percent, if: .bit(1)),
                .field("E2E-CRC", .u16, if: .more),
            ]),
        .init(
            0x2AA8, "CGM Feature",
            [
                .field("CGM Feature", .u24),
                .field("CGM Type-Sample Location Type", .bits(4)),
                .field("CGM Type-Sample Location Sample Location", .bits(4)),
                .field("E2E-CRC", .u16),
            ]),
        .init(
            0x2AA9, "CGM Status",
            [
                .field("Time Offset", .u16),
                .field("CGM Status", .u24),
                .field("E2E-CRC", .u16, if: .more),
            ]),
        .init(
            0x2AAA, "CGM Session Start Time",
            [
                .date("Session Start Time"),
                .field("Time Zone", .s8, unknown: -128, valid: -48...56),
                .field("DST Offset", .u8, unknown: 255),
                .field("E2E-CRC", .u16, if: .more),
            ]),
        .init(
            0x2AAB, "CGM Session Run Time",
            [
                .field("CGM Session Run Time", .u16, .one, .hour),
                .field("E2E-CRC", .u16, if: .more),
            ]),
        .init(
            0x2AAC, "CGM Specific Ops Control Point",
            [
                .field("Op Code", .u8),
                .field("Operand", .rest, if: .more),
            ]),
        .init(0x2ABE, "Object Name", [.field("Object Name", .text, if: .more)]),
        .init(0x2ABF, "Object Type", [.field("Object Type", .rest)]),
        .init(0x2AC1, "Object First-Created", [.date("Object First Created")]),
        .init(0x2AC2, "Object Last-Modified", [.date("Object Last Modified")]),
        .init(0x2AC3, "Object ID", [.field("Object ID", .u48)]),
        .init(
            0x2AD4, "Supported Speed Range",
            [
                .field("Minimum Speed", .u16, .hundredth, .kilometrePerHour),
                .field("Maximum Speed", .u16, .hundredth, .kilometrePerHour),
                .field("Minimum Increment", .u16, .hundredth, .kilometrePerHour),
            ]),
    ]
}
