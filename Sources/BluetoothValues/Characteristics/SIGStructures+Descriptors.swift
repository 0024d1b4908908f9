extension SIGStructures {
    // Table: structures of descriptors. Source: Core Specification 5.4, Vol 3, Part G, 3.3.3; HID Service 1.0;
    // Environmental Sensing Service 1.0.
    static let ofDescriptors: [CharacteristicStructure] = [
        .init(0x2900, "Characteristic Extended Properties", [.field("Properties", .u16)]),
        .init(0x2901, "Characteristic User Description", [.field("Description", .text)]),
        .init(0x2902, "Client Characteristic Configuration", [.field("Configuration", .u16)]),
        .init(0x2903, "Server Characteristic Configuration", [.field("Configuration", .u16)]),
        .init(
            0x2904, "Characteristic Presentation Format",
            [
                .field("Format", .u8),
                .field("Exponent", .s8),
                .field("Unit", .u16),
                .field("Name Space", .u8),
                .field("Description", .u16),
            ]),
        .init(0x2905, "Characteristic Aggregate Format", [.field("Handles", .u16List)]),
        .init(0x2906, "Valid Range", [.field("Lower and Upper Value", .rest)]),
        .init(0x2907, "External Report Reference", [.field("Characteristic", .u16)]),
        .init(0x2908, "Report Reference", [.field("Report ID", .u8), .field("Report Type", .u8)]),
        .init(0x2909, "Number of Digitals", [.field("Number of Digitals", .u8)]),
        .init(0x290A, "Value Trigger Setting", [.field("Condition", .u8), .field("Value", .rest, if: .more)]),
        .init(0x290B, "Environmental Sensing Configuration", [.field("Trigger Logic", .u8)]),
        .init(
            0x290C, "Environmental Sensing Measurement",
            [
                .field("Flags", .u16),
                .field("Sampling Function", .u8),
                .field("Measurement Period", .u24, .one, .second, unknown: 0),
                .field("Update Interval", .u24, .one, .second, unknown: 0),
                .field("Application", .u8),
                .field("Measurement Uncertainty", .u8, .over(2), .percent, unknown: 0xFF),
            ]),
        .init(
            0x290D, "Environmental Sensing Trigger Setting",
            [.field("Condition", .u8), .field("Operand", .rest, if: .more)]),
        .init(0x290E, "Time Trigger Setting", [.field("Condition", .u8), .field("Value", .rest, if: .more)]),
        .init(0x290F, "Complete BR-EDR Transport Block Data", [.field("Data", .rest)]),
    ]
}
