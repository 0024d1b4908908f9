extension SIGStructures {
    // Table: structures from 2B4C to 2C30.
    static let from2B4C: [CharacteristicStructure] = [
        .init(
            0x2B4C, "Four Zone Heart Rate Limits",
            [
                .field("Light / Moderate Limit", .u8, .one, .beatsPerMinute),
                .field("Moderate / Hard Limit", .u8, .one, .beatsPerMinute),
                .field("Hard / Maximum Limit", .u8, .one, .beatsPerMinute),
            ]),
        .init(
            0x2B4D, "High Intensity Exercise Threshold",
            [
                .field("Field Selector", .u8),
                .field("Threshold as Energy Expenditure per Hour", .u16, .times(1000), .joule, if: .first(1)),
                .field("Threshold as Metabolic Equivalent", .u8, .tenth, .metabolicEquivalent, if: .first(2)),
                .field("Threshold as Percentage of Maximum Heart Rate", .u8, .one, .percent, if: .first(3)),
                .field("Threshold as Heart Rate", .u8, .one, .beatsPerMinute, if: .first(4)),
            ]),
        .init(
            0x2B4E, "Activity Goal",
            [
                .field("Presence Flags", .u8),
                .field("Total Energy Expenditure", .u16, .times(1000), .joule, if: .bit(0)),
                .field("Normal Walking Steps", .u24, if: .bit(1)),
                .field("Intensity Steps", .u24, if: .bit(2)),
                .field("Floor Steps", .u24, if: .bit(3)),
                .field("Distance", .u24, .one, .metre, if: .bit(4)),
                .field("Duration of Normal Walking", .u24, .one, .second, if: .bit(5)),
                .field("Duration of Intensity Walking", .u24, .one, .second, if: .bit(6)),
            ]),
        .init(
            0x2B4F, "Sedentary Interval Notification",
            [
                .field("Sedentary Interval Notification", .u16, .one, .second)
            ]),
        .init(0x2B50, "Caloric Intake", [.field("Caloric Intake", .u16, .one, .kilocalorie)]),
        .init(
            0x2B89, "Apparent Energy 32",
            [
                .field(
                    "Apparent Energy 32", .u32, .thousandth, .kilovoltAmpereHour, unknown: 0xFFFFFFFF,
                    special: [0xFFFFFFFE: .invalid])
            ]),
        .init(
            0x2B8A, "Apparent Power",
            [.field("Apparent Power", .u24, .tenth, .voltAmpere, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid])]),
        .init(
            0x2B8C, "CO2 Concentration",
            [
                .field("CO2 Concentration", .u16, .one, .partsPerMillion, unknown: 0xFFFF, special: [0xFFFE: .above])
            ]),
        .init(
            0x2B8D, "Cosine of the Angle",
            [.field("Cosine of the Angle", .s8, .hundredth, unknown: 127, valid: -100...100)]),
        .init(
            0x2BA8, "Energy 32",
            [
                .field(
                    "Energy 32", .u32, .thousandth, .kilowattHour, unknown: 0xFFFFFFFF, special: [0xFFFFFFFE: .invalid])
            ]),
        .init(0x2BBA, "Content Control ID", [.field("Content Control ID", .u8)]),
        .init(
            0x2BCF, "Ammonia Concentration",
            [
                .field("Ammonia Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(
            0x2BD0, "Carbon Monoxide Concentration",
            [
                .field("Carbon Monoxide Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(0x2BD1, "Methane Concentration", [.field("Methane Concentration", .sfloat, .one, .partsPerBillion)]),
        .init(
            0x2BD2, "Nitrogen Dioxide Concentration",
            [
                .field("Nitrogen Dioxide Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(
            0x2BD3, "Non-Methane Volatile Organic Compounds Concentration",
            [
                .field("Non-Methane Volatile Organic Compounds Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(0x2BD4, "Ozone Concentration", [.field("Ozone Concentration", .sfloat, .one, .kilogramPerCubicMetre)]),
        .init(
            0x2BD5, "Particulate Matter - PM1 Concentration",
            [
                .field("Particulate Matter - PM1 Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(
            0x2BD6, "Particulate Matter - PM2.5 Concentration",
            [
                .field("Particulate Matter - PM2.5 Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(
            0x2BD7, "Particulate Matter - PM10 Concentration",
            [
                .field("Particulate Matter - PM10 Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(
            0x2BD8, "Sulfur Dioxide Concentration",
            [
                .field("Sulfur Dioxide Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(
            0x2BD9, "Sulfur Hexafluoride Concentration",
            [
                .field("Sulfur Hexafluoride Concentration", .sfloat, .one, .kilogramPerCubicMetre)
            ]),
        .init(0x2BDE, "Fixed String 64", [.field("Fixed String 64", .fixedText(64))]),
        .init(
            0x2BDF, "High Temperature",
            [
                .field(
                    "High Temperature", .s16, .over(2), .celsius, unknown: -32768, special: [-32767: .invalid],
                    valid: -546...32767)
            ]),
        .init(0x2BE0, "High Voltage", [.field("High Voltage", .u24, .over(64), .volt, unknown: 0xFFFFFF)]),
        .init(0x2BE1, "Light Distribution", [.field("Light Distribution", .u8)]),
        .init(
            0x2BE2, "Light Output",
            [.field("Light Output", .u24, .one, .lumen, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid])]),
        .init(0x2BE3, "Light Source Type", [.field("Light Source Type", .u8)]),
        .init(0x2BE4, "Noise", [.field("Noise", .u8, .one, .decibelOfSound, unknown: 255, special: [254: .above])]),
        .init(
            0x2BE5, "Relative Runtime in a Correlated Color Temperature Range",
            [
                .field("Relative Runtime", .u8, .over(2), .percent, unknown: 255, valid: 0...200),
                .field("Minimum Correlated Color Temperature", .u16, .one, .kelvin, unknown: 0xFFFF),
                .field("Maximum Correlated Color Temperature", .u16, .one, .kelvin, unknown: 0xFFFF),
            ]),
        .init(0x2BE6, "Time Second 32", [.field("Time Second 32", .u32, .one, .second, unknown: 0xFFFFFFFF)]),
        .init(
            0x2BE7, "VOC Concentration",
            [
                .field("VOC Concentration", .u16, .one, .partsPerBillion, unknown: 0xFFFF, special: [0xFFFE: .above])
            ]),
        .init(
            0x2BE8, "Voltage Frequency",
            [
                .field(
                    "Voltage Frequency", .u16, .one, .hertz, unknown: 0xFFFF,
                    special: [0: .directCurrent, 0xFFFE: .invalid])
            ]),
        .init(0x2BE9, "Battery Critical Status", [.field("Battery Critical Status", .u8)]),
        .init(
            0x2BEA, "Battery Health Status",
            [
                .field("Flags", .u8),
                .field("Battery Health Summary", .u8, .one, .percent, valid: 0...100, if: .bit(0)),
                .field("Cycle Count", .u16, if: .bit(1)),
                .field("Current Temperature", .s8, .one, .celsius, special: [127: .above, -128: .below], if: .bit(2)),
                .field("Deep Discharge Count", .u16, if: .bit(3)),
            ]),
        .init(
            0x2BEB, "Battery Health Information",
            [
                .field("Flags", .u8),
                .field("Cycle Count Designed Lifetime", .u16, if: .bit(0)),
                .field(
                    "Min Designed Operating Temperature", .s8, .one, .celsius, special: [127: .above, -128: .below],
                    if: .bit(1)),
                .field(
                    "Max Designed Operating Temperature", .s8, .one, .celsius, special: [127: .above, -128: .below],
                    if: .bit(1)),
            ]),
        .init(
            0x2BEC, "Battery Information",
            [
                .field("Flags", .u16),
                .field("Battery Features", .u8),
                .field("Battery Manufacture Date", .u24, .one, .day, if: .bit(0)),
                .field("Battery Expiration Date", .u24, .one, .day, if: .bit(1)),
                .field("Battery Designed Capacity", .sfloat, .one, .kilowattHour, if: .bit(2)),
                .field("Battery Low Energy", .sfloat, .one, .kilowattHour, if: .bit(3)),
                .field("Battery Critical Energy", .sfloat, .one, .kilowattHour, if: .bit(4)),
                .field("Battery Chemistry", .u8, if: .bit(5)),
                .field("Nominal Voltage", .sfloat, .one, .volt, if: .bit(6)),
                .field("Battery Aggregation Group", .u8, if: .bit(7)),
            ]),
        .init(
            0x2BED, "Battery Level Status",
            [
                .field("Flags", .u8),
                .field("Power State", .u16),
                .field("Identifier", .u16, if: .bit(0)),
                .field("Battery Level", .u8, .one, .percent, valid: 0...100, if: .bit(1)),
                .field("Additional Status", .u8, if: .bit(2)),
            ]),
        .init(
            0x2BEE, "Battery Time Status",
            [
                .field("Flags", .u8),
                .field("Time until Discharged", .u24, .one, .minute, unknown: 0xFFFFFF, special: [0xFFFFFE: .above]),
                .field(
                    "Time until Discharged on Standby", .u24, .one, .minute, unknown: 0xFFFFFF,
                    special: [0xFFFFFE: .above], if: .bit(0)),
                .field(
                    "Time until Recharged", .u24, .one, .minute, unknown: 0xFFFFFF, special: [0xFFFFFE: .above],
                    if: .bit(1)),
            ]),
        .init(0x2BEF, "Estimated Service Date", [.field("Estimated Service Date", .u24, .one, .day)]),
        .init(
            0x2BF0, "Battery Energy Status",
            [
                .field("Flags", .u8),
                .field("External Source Power", .sfloat, .one, .watt, if: .bit(0)),
                .field("Present Voltage", .sfloat, .one, .volt, if: .bit(1)),
                .field("Available Energy", .sfloat, .one, .kilowattHour, if: .bit(2)),
                .field("Available Battery Capacity", .sfloat, .one, .kilowattHour, if: .bit(3)),
                .field("Charge Rate", .sfloat, .one, .watt, if: .bit(4)),
                .field("Available Energy at Last Charge", .sfloat, .one, .kilowattHour, if: .bit(5)),
            ]),
        .init(
            0x2BF2, "Elapsed Time",
            [
                .field("Flags", .u8),
                .field("Time Value", .u48),
                .field("Time Sync Source Type", .u8),
                .field("TZ/DST Offset", .s8),
            ]),
        .init(
            0x2BFF, "UDI for Medical Devices",
            [
                .field("Flags", .u8),
                .field("UDI Label", .terminatedText, if: .bit(0)),
                .field("UDI Device Identifier", .terminatedText, if: .bit(1)),
                .field("UDI Issuer", .terminatedText, if: .bit(2)),
                .field("UDI Authority", .terminatedText, if: .bit(3)),
            ]),
        .init(0x2C05, "Percentage 8 Steps", [.field("Percentage 8 Steps", .u8, unknown: 255, valid: 1...200)]),
        .init(
            0x2C06, "Acceleration",
            [
                .field("Acceleration", .s32, .thousandth, .metrePerSecondSquared, unknown: 0x7FFFFFFF)
            ]),
        .init(0x2C07, "Force", [.field("Force", .s32, .thousandth, .newton, unknown: 0x7FFFFFFF)]),
        .init(
            0x2C08, "Linear Position",
            [
                .field("Linear Position", .s32, .over(10000000), .metre, unknown: 0x7FFFFFFF)
            ]),
        .init(0x2C09, "Rotational Speed", [.field("Rotational Speed", .s32, .one, .perMinute, unknown: 0x7FFFFFFF)]),
        .init(0x2C0A, "Length", [.field("Length", .u32, .over(10000000), .metre, unknown: 0xFFFFFFFF)]),
        .init(0x2C0B, "Torque", [.field("Torque", .s32, .hundredth, .newtonMetre, unknown: 0x7FFFFFFF)]),
        .init(0x2C1B, "Humidity 8", [.field("Humidity 8", .u8, .over(2), .percent, unknown: 255, valid: 0...200)]),
        .init(0x2C1C, "Illuminance 16", [.field("Illuminance 16", .u16, .one, .lux, unknown: 0xFFFF)]),
        .init(
            0x2C1D, "Acceleration - 3D",
            [
                .field("Vector X", .s8, .hundredth, .standardGravity, unknown: 127, special: [126: .outOfRange]),
                .field("Vector Y", .s8, .hundredth, .standardGravity, unknown: 127, special: [126: .outOfRange]),
                .field("Vector Z", .s8, .hundredth, .standardGravity, unknown: 127, special: [126: .outOfRange]),
            ]),
        .init(
            0x2C1E, "Precise Acceleration - 3D",
            [
                .field(
                    "Vector X", .s16, .thousandth, .standardGravity, unknown: 0x7FFF, special: [0x7FFE: .outOfRange]),
                .field(
                    "Vector Y", .s16, .thousandth, .standardGravity, unknown: 0x7FFF, special: [0x7FFE: .outOfRange]),
                .field(
                    "Vector Z", .s16, .thousandth, .standardGravity, unknown: 0x7FFF, special: [0x7FFE: .outOfRange]),
            ]),
        .init(0x2C1F, "Acceleration Detection Status", [.field("Acceleration Detection Status", .u8)]),
        .init(0x2C20, "Door/Window Status", [.field("Open Status", .u8)]),
        .init(
            0x2C21, "Pushbutton Status 8",
            [
                .field("Button 0 Status", .bits(2)),
                .field("Button 1 Status", .bits(2)),
                .field("Button 2 Status", .bits(2)),
                .field("Button 3 Status", .bits(2)),
            ]),
        .init(
            0x2C22, "Contact Status 8",
            [
                .field("Contact 0 Status", .bits(1)),
                .field("Contact 1 Status", .bits(1)),
                .field("Contact 2 Status", .bits(1)),
                .field("Contact 3 Status", .bits(1)),
                .field("Contact 4 Status", .bits(1)),
                .field("Contact 5 Status", .bits(1)),
                .field("Contact 6 Status", .bits(1)),
                .field("Contact 7 Status", .bits(1)),
            ]),
        .init(0x2C26, "Recipe Control", [.field("Op Code", .u8), .field("Cooking Step Index", .u16)]),
        .init(
            0x2C27, "Recipe Parameters",
            [
                .field("Flags", .u16),
                .field("Cooking Step Index", .u16),
                .field("Cooking Process Type", .u8),
                .field("Duration", .u16, .one, .second, if: .previousNotZero),
                .field("Temperature", .s16, .tenth, .celsius, unknown: -32768, valid: -1000...10000, if: .bit(3)),
                .field("Temperature Gradient", .s8, .tenth, .kelvinPerSecond, if: .flags(mask: 0x18, value: 0x18)),
                .field("Humidity", .u16, .hundredth, .percent, unknown: 0xFFFF, valid: 0...10000, if: .bit(5)),
                .field("Termination Condition", .u16, if: .bit(6)),
            ]),
        .init(
            0x2C28, "Cooking Step Status",
            [
                .field("Flags", .u8),
                .field("Cooking Step Index", .u16),
                .field("Remaining Time", .u16, .one, .second, unknown: 0xFFFF, valid: 0...0xFF00),
            ]),
        .init(
            0x2C29, "Cooking Zone Capabilities",
            [
                .field("Flags", .u16),
                .field("Power Technology", .u8),
                .field("Number of Cooking Steps", .u16),
                .field(
                    "Nominal Power", .u24, .tenth, .watt, unknown: 0xFFFFFF, special: [0xFFFFFE: .invalid], if: .bit(1)),
                .field("Boost Level", .u8, .one, .percent, if: .bit(1)),
                .field("Minimum Available Power", .u16, .tenth, .percent, if: .bit(1)),
                .field(
                    "Maximum Temperature", .s16, .tenth, .celsius, unknown: -32768, valid: -1000...10000, if: .bit(2)),
                .field(
                    "Minimum Temperature", .s16, .tenth, .celsius, unknown: -32768, valid: -1000...10000, if: .bit(2)),
                .field("Maximum Blower Fan Airflow", .u16, .one, .litrePerSecond, unknown: 0xFFFF, if: .bit(4)),
            ]),
        .init(
            0x2C2E, "Cooking Temperature",
            [.field("Temperature", .s16, .tenth, .celsius, unknown: -32768, valid: -1000...10000)]),
        .init(
            0x2C30, "Kitchen Appliance Airflow",
            [
                .field("Kitchen Appliance Airflow", .u16, .one, .litrePerSecond, unknown: 0xFFFF)
            ]),
    ]
}
