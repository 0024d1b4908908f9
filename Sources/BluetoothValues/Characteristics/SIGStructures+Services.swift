extension SIGStructures {
    // Table: structures that the specifications of services define. Source: Core Specification 5.4, Vol 3, Part C, 12;
    // Pulse Oximeter Service 1.0.1.
    static let ofServices: [CharacteristicStructure] = [
        .init(0x2A00, "Device Name", [.field("Device Name", .text)]),
        .init(0x2A01, "Appearance", [.field("Appearance", .u16)]),
        .init(
            0x2A04, "Peripheral Preferred Connection Parameters",
            [
                .field("Minimum Connection Interval", .u16, .over(800), .second, unknown: 0xFFFF),
                .field("Maximum Connection Interval", .u16, .over(800), .second, unknown: 0xFFFF),
                .field("Peripheral Latency", .u16),
                .field("Supervision Timeout", .u16, .hundredth, .second, unknown: 0xFFFF),
            ]),
        .init(
            0x2A5E, "PLX Spot-Check Measurement",
            [
                .field("Flags", .u8),
                .field("SpO2", .sfloat, .one, .percent),
                .field("Pulse Rate", .sfloat, .one, .beatsPerMinute),
                .date("Time Stamp", if: .bit(0)),
                .field("Measurement Status", .u16, if: .bit(1)),
                .field("Device and Sensor Status", .u24, if: .bit(2)),
                .field("Pulse Amplitude Index", .sfloat, .one, .percent, if: .bit(3)),
            ]),
        .init(
            0x2A5F, "PLX Continuous Measurement",
            [
                .field("Flags", .u8),
                .field("SpO2", .sfloat, .one, .percent),
                .field("Pulse Rate", .sfloat, .one, .beatsPerMinute),
                .field("Fast SpO2", .sfloat, .one, .percent, if: .bit(0)),
                .field("Fast Pulse Rate", .sfloat, .one, .beatsPerMinute, if: .bit(0)),
                .field("Slow SpO2", .sfloat, .one, .percent, if: .bit(1)),
                .field("Slow Pulse Rate", .sfloat, .one, .beatsPerMinute, if: .bit(1)),
                .field("Measurement Status", .u16, if: .bit(2)),
                .field("Device and Sensor Status", .u24, if: .bit(3)),
                .field("Pulse Amplitude Index", .sfloat, .one, .percent, if: .bit(4)),
            ]),
        .init(
            0x2A60, "PLX Features",
            [
                .field("Supported Features", .u16),
                .field("Measurement Status Support", .u16, if: .bit(0)),
                .field("Device and Sensor Status Support", .u24, if: .bit(1)),
            ]),
        .init(0x2AA6, "Central Address Resolution", [.field("Central Address Resolution", .u8)]),
    ]
}
