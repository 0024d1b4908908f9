extension SIGStructures {
    // Table: structures from 2AD5 to 2B4B.
    static let from2AD5: [CharacteristicStructure] = [
        .init(
            0x2AD5, "Supported Inclination Range",
            [
                .field("Minimum Inclination", .s16, .tenth, .percent),
                .field("Maximum Inclination", .s16, .tenth, .percent),
                .field("Minimum Increment", .u16, .tenth, .percent),
            ]),
        .init(
            0x2AD6, "Supported Resistance Level Range",
            [
                .field("Minimum Resistance Level", .level(wide: .tenth)),
                .field("Maximum Resistance Level", .level(wide: .tenth)),
                .field("Minimum Increment", .level(wide: .tenth)),
            ]),
        .init(
            0x2AD7, "Supported Heart Rate Range",
            [
                .field("Minimum Heart Rate", .u8, .one, .beatsPerMinute),
                .field("Maximum Heart Rate", .u8, .one, .beatsPerMinute),
                .field("Minimum Increment", .u8, .one, .beatsPerMinute),
            ]),
        .init(
            0x2AD8, "Supported Power Range",
            [
                .field("Minimum Power", .s16, .one, .watt),
                .field("Maximum Power", .s16, .one, .watt),
                .field("Minimum Increment", .u16, .one, .watt),
            ]),
        .init(
            0x2AE0, "Average Current",
            [
                .field("Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(
            0x2AE1, "Average Voltage",
            [
                .field("Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(0x2AE2, "Boolean", [.field("Boolean", .u8)]),
        .init(
            0x2AE3, "Chromatic Distance from Planckian",
            [
                .field(
                    "Distance from Planckian", .s16, .over(100000), unknown: 0x7FFE, special: [0x7FFF: .invalid],
                    valid: -5000...5000)
            ]),
        .init(
            0x2AE4, "Chromaticity Coordinates",
            [
                .field("Chromaticity x-coordinate", .u16, .over(65535)),
                .field("Chromaticity y-coordinate", .u16, .over(65535)),
            ]),
        .init(
            0x2AE5, "Chromaticity in CCT and Duv Values",
            [
                .field("Correlated Color Temperature", .u16, .one, .kelvin, unknown: 0xFFFF),
                .field(
                    "Chromaticity Distance from Planckian", .s16, .over(100000), unknown: 0x7FFE,
                    special: [0x7FFF: .invalid], valid: -5000...5000),
            ]),
        .init(0x2AE6, "Chromaticity Tolerance", [.field("Chromaticity Tolerance", .u8, .over(10000))]),
        .init(
            0x2AE7, "CIE 13.3-1995 Color Rendering Index",
            [.field("Color Rendering Index", .s8, unknown: 127, valid: -128...100)]),
        .init(0x2AE8, "Coefficient", [.field("Coefficient", .float32)]),
        .init(
            0x2AE9, "Correlated Color Temperature",
            [
                .field("Correlated Color Temperature", .u16, .one, .kelvin, unknown: 0xFFFF)
            ]),
        .init(0x2AEA, "Count 16", [.field("Count", .u16, unknown: 0xFFFF)]),
        .init(0x2AEB, "Count 24", [.field("Count", .u24, unknown: 0xFFFFFF)]),
        .init(0x2AEC, "Country Code", [.field("Country Code", .u16, unknown: 0xFFFF)]),
        .init(0x2AED, "Date UTC", [.field("Date", .u24, .one, .day, unknown: 0)]),
        .init(0x2AEE, "Electric Current", [.field("Current", .u16, .hundredth, .ampere, unknown: 0xFFFF)]),
        .init(
            0x2AEF, "Electric Current Range",
            [
                .field("Minimum Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Maximum Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
            ]),
        .init(
            0x2AF0, "Electric Current Specification",
            [
                .field("Minimum Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Typical Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Maximum Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
            ]),
        .init(
            0x2AF1, "Electric Current Statistics",
            [
                .field("Average Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Standard Deviation Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Minimum Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Maximum Electric Current Value", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(0x2AF2, "Energy", [.field("Energy", .u24, .one, .kilowattHour, unknown: 0xFFFFFF)]),
        .init(
            0x2AF3, "Energy in a Period of Day",
            [
                .field("Energy Value", .u24, .one, .kilowattHour, unknown: 0xFFFFFF),
                .field("Start Time", .u8, .tenth, .hour, unknown: 255, valid: 0...239),
                .field("End Time", .u8, .tenth, .hour, unknown: 255, valid: 0...239),
            ]),
        .init(
            0x2AF4, "Event Statistics",
            [
                .field("Number of Events", .u16, unknown: 0xFFFF),
                .field("Average Event Duration", .u16, .one, .second, unknown: 0xFFFF),
                .field("Time Elapsed Since Last Event", .exponential, .one, .second),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(0x2AF5, "Fixed String 16", [.field("Fixed String", .fixedText(16))]),
        .init(0x2AF6, "Fixed String 24", [.field("Fixed String", .fixedText(24))]),
        .init(0x2AF7, "Fixed String 36", [.field("Fixed String", .fixedText(36))]),
        .init(0x2AF8, "Fixed String 8", [.field("Fixed String", .fixedText(8))]),
        .init(0x2AF9, "Generic Level", [.field("Generic Level", .u16)]),
        .init(0x2AFA, "Global Trade Item Number", [.field("Global Trade Item Number", .u48, unknown: 0)]),
        .init(0x2AFB, "Illuminance", [.field("Illuminance", .u24, .hundredth, .lux, unknown: 0xFFFFFF)]),
        .init(
            0x2AFC, "Luminous Efficacy",
            [
                .field("Luminous Efficacy", .u16, .tenth, .lumenPerWatt, unknown: 0xFFFF, valid: 0...18000)
            ]),
        .init(
            0x2AFD, "Luminous Energy",
            [
                .field("Luminous Energy", .u24, .times(1000), .lumenHour, unknown: 0xFFFFFF)
            ]),
        .init(
            0x2AFE, "Luminous Exposure",
            [
                .field("Luminous Exposure", .u24, .times(1000), .luxHour, unknown: 0xFFFFFF)
            ]),
        .init(0x2AFF, "Luminous Flux", [.field("Luminous Flux", .u16, .one, .lumen, unknown: 0xFFFF)]),
        .init(
            0x2B00, "Luminous Flux Range",
            [
                .field("Minimum Luminous Flux", .u16, .one, .lumen, unknown: 0xFFFF),
                .field("Maximum Luminous Flux", .u16, .one, .lumen, unknown: 0xFFFF),
            ]),
        .init(0x2B01, "Luminous Intensity", [.field("Luminous Intensity", .u16, .one, .candela, unknown: 0xFFFF)]),
        .init(0x2B02, "Mass Flow", [.field("Mass Flow", .u16, .one, .gramPerSecond, unknown: 0xFFFF)]),
        .init(0x2B03, "Perceived Lightness", [.field("Perceived Lightness", .u16)]),
        .init(0x2B04, "Percentage 8", [.field("Percentage 8", .u8, .over(2), .percent, unknown: 255, valid: 0...200)]),
        .init(
            0x2B05, "Power", [.field("Power", .u24, .tenth, .watt, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid])]),
        .init(
            0x2B06, "Power Specification",
            [
                .field("Minimum Power Value", .u24, .tenth, .watt, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid]),
                .field("Typical Power Value", .u24, .tenth, .watt, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid]),
                .field("Maximum Power Value", .u24, .tenth, .watt, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid]),
            ]),
        .init(
            0x2B07, "Relative Runtime in a Current Range",
            [
                .field("Relative Runtime Value", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Minimum Current", .u16, .hundredth, .ampere, unknown: 0xFFFF),
                .field("Maximum Current", .u16, .hundredth, .ampere, unknown: 0xFFFF),
            ]),
        .init(
            0x2B08, "Relative Runtime in a Generic Level Range",
            [
                .field("Relative Value", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Minimum Generic Level", .u16),
                .field("Maximum Generic Level", .u16),
            ]),
        .init(
            0x2B09, "Relative Value in a Voltage Range",
            [
                .field("Relative Value", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Minimum Voltage", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Maximum Voltage", .u16, .over(64), .volt, unknown: 0xFFFF),
            ]),
        .init(
            0x2B0A, "Relative Value in an Illuminance Range",
            [
                .field("Relative Value", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Minimum Illuminance", .u24, .hundredth, .lux, unknown: 0xFFFFFF),
                .field("Maximum Illuminance", .u24, .hundredth, .lux, unknown: 0xFFFFFF),
            ]),
        .init(
            0x2B0B, "Relative Value in a Period of Day",
            [
                .field("Relative Value", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Start Time", .u8, .tenth, .hour, unknown: 255, valid: 0...239),
                .field("End Time", .u8, .tenth, .hour, unknown: 255, valid: 0...239),
            ]),
        .init(
            0x2B0C, "Relative Value in a Temperature Range",
            [
                .field("Relative Value", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Minimum Temperature Value", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
                .field("Maximum Temperature Value", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
            ]),
        .init(0x2B0D, "Temperature 8", [.field("Temperature 8", .s8, .over(2), .celsius, unknown: 127)]),
        .init(
            0x2B0E, "Temperature 8 in a Period of Day",
            [
                .field("Temperature", .s8, .over(2), .celsius, unknown: 127),
                .field("Start Time", .u8, .tenth, .hour, unknown: 255, valid: 0...239),
                .field("End Time", .u8, .tenth, .hour, unknown: 255, valid: 0...239),
            ]),
        .init(
            0x2B0F, "Temperature 8 Statistics",
            [
                .field("Average", .s8, .over(2), .celsius, unknown: 127),
                .field("Standard Deviation Value", .s8, .over(2), .celsius, unknown: 127),
                .field("Minimum Value", .s8, .over(2), .celsius, unknown: 127),
                .field("Maximum Value", .s8, .over(2), .celsius, unknown: 127),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(
            0x2B10, "Temperature Range",
            [
                .field("Minimum Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
                .field("Maximum Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
            ]),
        .init(
            0x2B11, "Temperature Statistics",
            [
                .field("Average Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
                .field(
                    "Standard Deviation Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767
                ),
                .field("Minimum Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
                .field("Maximum Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(0x2B12, "Time Decihour 8", [.field("Time Decihour 8", .u8, .tenth, .hour, unknown: 255, valid: 0...239)]),
        .init(0x2B13, "Time Exponential 8", [.field("Time Exponential 8", .exponential, .one, .second)]),
        .init(0x2B14, "Time Hour 24", [.field("Time Hour 24", .u24, .one, .hour, unknown: 0xFFFFFF)]),
        .init(
            0x2B15, "Time Millisecond 24",
            [
                .field("Time Millisecond 24", .u24, .thousandth, .second, unknown: 0xFFFFFF)
            ]),
        .init(0x2B16, "Time Second 16", [.field("Time Second 16", .u16, .one, .second, unknown: 0xFFFF)]),
        .init(0x2B17, "Time Second 8", [.field("Time Second 8", .u8, .one, .second, unknown: 255)]),
        .init(0x2B18, "Voltage", [.field("Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF)]),
        .init(
            0x2B19, "Voltage Specification",
            [
                .field("Minimum Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Typical Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Maximum Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
            ]),
        .init(
            0x2B1A, "Voltage Statistics",
            [
                .field("Average Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Standard Deviation Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Minimum Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Maximum Voltage Value", .u16, .over(64), .volt, unknown: 0xFFFF),
                .field("Sensing Duration", .exponential, .one, .second),
            ]),
        .init(0x2B1B, "Volume Flow", [.field("Volume Flow", .u16, .thousandth, .litrePerSecond, unknown: 0xFFFF)]),
        .init(0x2B1C, "Chromaticity Coordinate", [.field("Chromaticity Coordinate", .u16, .over(65535))]),
        .init(
            0x2B34, "Enhanced Blood Pressure Measurement",
            [
                .field("Flags", .u8),
                .field("Systolic", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Diastolic", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Mean Arterial Pressure", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Systolic", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Diastolic", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Mean Arterial Pressure", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Time Stamp", .u32, .one, .second, if: .bit(1)),
                .field("Pulse Rate", .sfloat, .one, .beatsPerMinute, if: .bit(2)),
                .field("User ID", .u8, unknown: 255, if: .bit(3)),
                .field("Measurement Status", .u16, if: .bit(4)),
                .field("User Facing Time", .u32, .one, .second, if: .bit(5)),
            ]),
        .init(
            0x2B35, "Enhanced Intermediate Cuff Pressure",
            [
                .field("Flags", .u8),
                .field("Intermediate Cuff Pressure Value", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Intermediate Cuff Pressure Value", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Time Stamp", .u32, .one, .second, if: .bit(1)),
                .field("Pulse Rate", .sfloat, .one, .beatsPerMinute, if: .bit(2)),
                .field("User ID", .u8, unknown: 255, if: .bit(3)),
                .field("Measurement Status", .u16, if: .bit(4)),
                .field("User Facing Time", .u32, .one, .second, if: .bit(5)),
            ]),
        .init(
            0x2B36, "Blood Pressure Record",
            [
                .field("Segmentation Header", .u8),
                .field("Sequence Number", .u16),
                .field("UUID", .u16),
                .field("Recorded Characteristic", .rest),
            ]),
        .init(0x2B46, "Preferred Units", [.field("Units", .u16List)]),
        .init(0x2B47, "High Resolution Height", [.field("Height", .u16, .over(10000), .metre)]),
        .init(0x2B48, "Middle Name", [.field("Middle Name", .text)]),
        .init(0x2B49, "Stride Length", [.field("Stride Length", .u16, .thousandth, .metre)]),
        .init(0x2B4A, "Handedness", [.field("Handedness", .u8)]),
        .init(0x2B4B, "Device Wearing Position", [.field("Device Wearing Position", .u8)]),
    ]
}
