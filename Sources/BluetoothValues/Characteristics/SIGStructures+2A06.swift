extension SIGStructures {
    // Table: structures from 2A06 to 2A83.
    static let from2A06: [CharacteristicStructure] = [
        .init(0x2A06, "Alert Level", [.field("Alert Level", .u8)]),
        .init(0x2A07, "Tx Power Level", [.field("Tx Power", .s8, .one, .decibelMilliwatt, valid: -100...20)]),
        .init(0x2A08, "Date Time", [.date()]),
        .init(0x2A09, "Day of Week", [.field("Day of Week", .u8)]),
        .init(0x2A0A, "Day Date Time", [.date("Date Time"), .field("Day of Week", .u8)]),
        .init(
            0x2A0C, "Exact Time 256",
            [
                .date(),
                .field("Day of Week", .u8),
                .field("Fractions of a Second", .u8, .over(256), .second),
            ]),
        .init(0x2A0D, "DST Offset", [.field("DST Offset", .u8, unknown: 255)]),
        .init(0x2A0E, "Time Zone", [.field("Time Zone", .s8, unknown: -128, valid: -48...56)]),
        .init(
            0x2A0F, "Local Time Information",
            [.field("Time Zone", .s8, unknown: -128, valid: -48...56), .field("DST Offset", .u8, unknown: 255)]),
        .init(0x2A11, "Time with DST", [.date("Date Time"), .field("DST Offset", .u8, unknown: 255)]),
        .init(
            0x2A12, "Time Accuracy", [.field("Accuracy", .u8, .over(8), .second, unknown: 255, special: [254: .above])]),
        .init(0x2A13, "Time Source", [.field("Time Source", .u8)]),
        .init(
            0x2A14, "Reference Time Information",
            [
                .field("Time Source", .u8),
                .field("Time Accuracy", .u8, .over(8), .second, unknown: 255, special: [254: .above]),
                .field("Days Since Update", .u8),
                .field("Hours Since Update", .u8),
            ]),
        .init(0x2A16, "Time Update Control Point", [.field("Time Update Control Point", .u8)]),
        .init(0x2A17, "Time Update State", [.field("Current State", .u8), .field("Result", .u8)]),
        .init(
            0x2A18, "Glucose Measurement",
            [
                .field("Flags", .u8),
                .field("Sequence Number", .u16),
                .date("Base Time"),
                .field("Time Offset", .s16, .one, .minute, if: .bit(0)),
                .field("Glucose Concentration", .sfloat, .one, .kilogramPerLitre, if: .flags(mask: 0x06, value: 0x02)),
                .field("Glucose Concentration", .sfloat, .one, .molePerLitre, if: .flags(mask: 0x06, value: 0x06)),
                .field("Type", .bits(4), if: .bit(1)),
                .field("Sample Location", .bits(4), if: .bit(1)),
                .field("Sensor Status Annunciation", .u16, if: .bit(3)),
            ]),
        .init(0x2A19, "Battery Level", [.field("Battery Level", .u8, .one, .percent, valid: 0...100)]),
        .init(
            0x2A1C, "Temperature Measurement",
            [
                .field("Flags", .u8),
                .field("Temperature", .float, .one, .celsius, if: .noBit(0)),
                .field("Temperature", .float, .one, .fahrenheit, if: .bit(0)),
                .date("Time Stamp", if: .bit(1)),
                .field("Temperature Type", .u8, if: .bit(2)),
            ]),
        .init(0x2A1D, "Temperature Type", [.field("Temperature Type Description", .u8)]),
        .init(
            0x2A1E, "Intermediate Temperature",
            [
                .field("Flags", .u8),
                .field("Temperature", .float, .one, .celsius, if: .noBit(0)),
                .field("Temperature", .float, .one, .fahrenheit, if: .bit(0)),
                .date("Time Stamp", if: .bit(1)),
                .field("Temperature Type", .u8, if: .bit(2)),
            ]),
        .init(0x2A21, "Measurement Interval", [.field("Measurement Interval", .u16)]),
        .init(0x2A23, "System ID", [.field("EUI-64", .bytes(8))]),
        .init(0x2A24, "Model Number String", [.field("Model Number", .text)]),
        .init(0x2A25, "Serial Number String", [.field("Serial Number", .text)]),
        .init(0x2A26, "Firmware Revision String", [.field("Firmware Revision", .text)]),
        .init(0x2A27, "Hardware Revision String", [.field("Hardware Revision", .text)]),
        .init(0x2A28, "Software Revision String", [.field("Software Revision", .text)]),
        .init(0x2A29, "Manufacturer Name String", [.field("Manufacturer Name", .text)]),
        .init(
            0x2A2A, "IEEE 11073-20601 Regulatory Certification Data List",
            [
                .field("IEEE 11073-20601 Regulatory Certification Data List", .rest)
            ]),
        .init(
            0x2A2B, "Current Time",
            [
                .date(),
                .field("Day of Week", .u8),
                .field("Fractions of a Second", .u8, .over(256), .second),
                .field("Adjust Reason", .u8),
            ]),
        .init(
            0x2A2C, "Magnetic Declination",
            [.field("Magnetic Declination", .u16, .hundredth, .degree, valid: 0...35999)]),
        .init(
            0x2A34, "Glucose Measurement Context",
            [
                .field("Flags", .u8),
                .field("Sequence Number", .u16),
                .field("Extended Flags", .u8, if: .bit(7)),
                .field("Carbohydrate ID", .u8, if: .bit(0)),
                .field("Carbohydrate", .sfloat, .one, .kilogram, if: .bit(0)),
                .field("Meal", .u8, if: .bit(1)),
                .field("Tester", .bits(4), if: .bit(2)),
                .field("Health", .bits(4), if: .bit(2)),
                .field("Exercise Duration", .u16, .one, .second, if: .bit(3)),
                .field("Exercise Intensity", .u8, .one, .percent, if: .bit(3)),
                .field("Medication ID", .u8, if: .bit(4)),
                .field("Medication", .sfloat, .one, .kilogram, if: .flags(mask: 0x30, value: 0x10)),
                .field("Medication", .sfloat, .one, .litre, if: .flags(mask: 0x30, value: 0x30)),
                .field("HbA1c", .sfloat, .one, .percent, if: .bit(6)),
            ]),
        .init(
            0x2A35, "Blood Pressure Measurement",
            [
                .field("Flags", .u8),
                .field("Systolic", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Diastolic", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Mean Arterial Pressure", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Systolic", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Diastolic", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Mean Arterial Pressure", .sfloat, .one, .kilopascal, if: .bit(0)),
                .date("Time Stamp", if: .bit(1)),
                .field("Pulse Rate", .sfloat, .one, .beatsPerMinute, if: .bit(2)),
                .field("User ID", .u8, unknown: 255, if: .bit(3)),
                .field("Measurement Status", .u16, if: .bit(4)),
            ]),
        .init(
            0x2A36, "Intermediate Cuff Pressure",
            [
                .field("Flags", .u8),
                .field("Current Cuff Pressure", .sfloat, .one, .millimetreOfMercury, if: .noBit(0)),
                .field("Current Cuff Pressure", .sfloat, .one, .kilopascal, if: .bit(0)),
                .field("Diastolic (unused)", .sfloat),
                .field("Mean Arterial Pressure (unused)", .sfloat),
                .date("Time Stamp", if: .bit(1)),
                .field("Pulse Rate", .sfloat, .one, .beatsPerMinute, if: .bit(2)),
                .field("User ID", .u8, unknown: 255, if: .bit(3)),
                .field("Measurement Status", .u16, if: .bit(4)),
            ]),
        .init(
            0x2A37, "Heart Rate Measurement",
            [
                .field("Flags", .u8),
                .field("Heart Rate", .u8, .one, .beatsPerMinute, if: .noBit(0)),
                .field("Heart Rate", .u16, .one, .beatsPerMinute, if: .bit(0)),
                .field("Energy Expended", .u16, .one, .kilojoule, if: .bit(3)),
                .field("RR-interval", .u16List, .over(1024), .second, if: .bit(4)),
            ]),
        .init(0x2A38, "Body Sensor Location", [.field("Body Sensor Location", .u8)]),
        .init(0x2A39, "Heart Rate Control Point", [.field("Heart Rate Control Point", .u8)]),
        .init(0x2A3F, "Alert Status", [.field("Alert Status", .u8)]),
        .init(0x2A40, "Ringer Control Point", [.field("Ringer Control Point", .u8)]),
        .init(0x2A41, "Ringer Setting", [.field("Ringer Setting", .u8)]),
        .init(0x2A42, "Alert Category ID Bit Mask", [.field("Category ID Bit Mask", .u16)]),
        .init(0x2A43, "Alert Category ID", [.field("Category ID", .u8)]),
        .init(0x2A44, "Alert Notification Control Point", [.field("Command ID", .u8), .field("Category ID", .u8)]),
        .init(
            0x2A45, "Unread Alert Status",
            [.field("Category ID", .u8), .field("Unread Count", .u8, special: [255: .above])]),
        .init(
            0x2A46, "New Alert",
            [
                .field("Category ID", .u8),
                .field("Number of New Alert", .u8),
                .field("Text String Information", .text),
            ]),
        .init(0x2A47, "Supported New Alert Category", [.field("Category ID Bit Mask", .u8OrU16)]),
        .init(0x2A48, "Supported Unread Alert Category", [.field("Category ID Bit Mask", .u8OrU16)]),
        .init(0x2A49, "Blood Pressure Feature", [.field("Blood Pressure Feature", .u16)]),
        .init(
            0x2A50, "PnP ID",
            [
                .field("Vendor ID Source", .u8),
                .field("Vendor ID", .u16),
                .field("Product ID", .u16),
                .field("Product Version", .u16),
            ]),
        .init(0x2A51, "Glucose Feature", [.field("Glucose Feature", .u16)]),
        .init(
            0x2A52, "Record Access Control Point",
            [
                .field("Op Code", .u8),
                .field("Operator", .u8),
                .field("Operand", .rest, if: .more),
            ]),
        .init(
            0x2A53, "RSC Measurement",
            [
                .field("Flags", .u8),
                .field("Instantaneous Speed", .u16, .over(256), .metrePerSecond),
                .field("Instantaneous Cadence", .u8, .one, .perMinute),
                .field("Instantaneous Stride Length", .u16, .hundredth, .metre, if: .bit(0)),
                .field("Total Distance", .u32, .tenth, .metre, if: .bit(1)),
            ]),
        .init(0x2A54, "RSC Feature", [.field("RSC Feature", .u16)]),
        .init(0x2A55, "SC Control Point", [.field("Op Code", .u8), .field("Parameter", .rest, if: .more)]),
        .init(
            0x2A5B, "CSC Measurement",
            [
                .field("Flags", .u8),
                .field("Cumulative Wheel Revolutions", .u32, if: .bit(0)),
                .field("Last Wheel Event Time", .u16, .over(1024), .second, if: .bit(0)),
                .field("Cumulative Crank Revolutions", .u16, if: .bit(1)),
                .field("Last Crank Event Time", .u16, .over(1024), .second, if: .bit(1)),
            ]),
        .init(0x2A5C, "CSC Feature", [.field("CSC Feature", .u16)]),
        .init(0x2A5D, "Sensor Location", [.field("Sensor Location", .u8)]),
        .init(
            0x2A63, "Cycling Power Measurement",
            [
                .field("Flags", .u16),
                .field("Instantaneous Power", .s16, .one, .watt),
                .field("Pedal Power Balance", .u8, .over(2), .percent, if: .bit(0)),
                .field("Accumulated Torque", .u16, .over(32), .newtonMetre, if: .bit(2)),
                .field("Cumulative Wheel Revolutions", .u32, if: .bit(4)),
                .field("Last Wheel Event Time", .u16, .over(2048), .second, if: .bit(4)),
                .field("Cumulative Crank Revolutions", .u16, if: .bit(5)),
                .field("Last Crank Event Time", .u16, .over(1024), .second, if: .bit(5)),
                .field("Maximum Force Magnitude", .s16, .one, .newton, if: .bit(6)),
                .field("Minimum Force Magnitude", .s16, .one, .newton, if: .bit(6)),
                .field("Maximum Torque Magnitude", .s16, .over(32), .newtonMetre, if: .bit(7)),
                .field("Minimum Torque Magnitude", .s16, .over(32), .newtonMetre, if: .bit(7)),
                .field("Maximum Angle", .bits(12), .one, .degree, if: .bit(8)),
                .field("Minimum Angle", .bits(12), .one, .degree, if: .bit(8)),
                .field("Top Dead Spot Angle", .u16, .one, .degree, if: .bit(9)),
                .field("Bottom Dead Spot Angle", .u16, .one, .degree, if: .bit(10)),
                .field("Accumulated Energy", .u16, .times(1000), .joule, if: .bit(11)),
            ]),
        .init(
            0x2A64, "Cycling Power Vector",
            [
                .field("Flags", .u8),
                .field("Cumulative Crank Revolutions", .u16, if: .bit(0)),
                .field("Last Crank Event Time", .u16, .over(1024), .second, if: .bit(0)),
                .field("First Crank Measurement Angle", .u16, .one, .degree, if: .bit(1)),
                .field("Instantaneous Force Magnitude Array", .s16List, .one, .newton, if: .bit(2)),
                .field("Instantaneous Torque Magnitude Array", .s16List, .over(32), .newtonMetre, if: .bit(3)),
            ]),
        .init(0x2A65, "Cycling Power Feature", [.field("Cycling Power Feature", .u32)]),
        .init(0x2A66, "Cycling Power Control Point", [.field("Op Code", .u8), .field("Parameter", .rest, if: .more)]),
        .init(
            0x2A67, "Location and Speed",
            [
                .field("Flags", .u16),
                .field("Instantaneous Speed", .u16, .hundredth, .metrePerSecond, if: .bit(0)),
                .field("Total Distance", .u24, .tenth, .metre, if: .bit(1)),
                .field("Location - Latitude", .s32, .over(10000000), .degree, if: .bit(2)),
                .field("Location - Longitude", .s32, .over(10000000), .degree, if: .bit(2)),
                .field("Elevation", .s24, .hundredth, .metre, if: .bit(3)),
                .field("Heading", .u16, .hundredth, .degree, if: .bit(4)),
                .field("Rolling Time", .u8, .one, .second, if: .bit(5)),
                .date("UTC Time", if: .bit(6)),
            ]),
        .init(
            0x2A68, "Navigation",
            [
                .field("Flags", .u16),
                .field("Bearing", .u16, .hundredth, .degree),
                .field("Heading", .u16, .hundredth, .degree),
                .field("Remaining Distance", .u24, .tenth, .metre, if: .bit(0)),
                .field("Remaining Vertical Distance", .s24, .hundredth, .metre, if: .bit(1)),
                .date("Estimated Time of Arrival", if: .bit(2)),
            ]),
        .init(
            0x2A69, "Position Quality",
            [
                .field("Flags", .u16),
                .field("Number of Beacons in Solution", .u8, if: .bit(0)),
                .field("Number of Beacons in View", .u8, if: .bit(1)),
                .field("Time to First Fix", .u16, .tenth, .second, if: .bit(2)),
                .field("EHPE", .u32, .hundredth, .metre, if: .bit(3)),
                .field("EVPE", .u32, .hundredth, .metre, if: .bit(4)),
                .field("HDOP", .u8, .over(5), if: .bit(5)),
                .field("VDOP", .u8, .over(5), if: .bit(6)),
            ]),
        .init(0x2A6A, "LN Feature", [.field("LN Feature", .u32)]),
        .init(0x2A6B, "LN Control Point", [.field("Op Code", .u8), .field("Parameter", .rest, if: .more)]),
        .init(0x2A6C, "Elevation", [.field("Elevation", .s24, .hundredth, .metre)]),
        .init(0x2A6D, "Pressure", [.field("Pressure", .u32, .tenth, .pascal)]),
        .init(
            0x2A6E, "Temperature",
            [.field("Temperature", .s16, .hundredth, .celsius, unknown: -32768, valid: -27315...32767)]),
        .init(0x2A6F, "Humidity", [.field("Humidity", .u16, .hundredth, .percent, unknown: 0xFFFF, valid: 0...10000)]),
        .init(0x2A70, "True Wind Speed", [.field("True Wind Speed", .u16, .hundredth, .metrePerSecond)]),
        .init(
            0x2A71, "True Wind Direction", [.field("True Wind Direction", .u16, .hundredth, .degree, valid: 0...35999)]),
        .init(0x2A72, "Apparent Wind Speed", [.field("Apparent Wind Speed", .u16, .hundredth, .metrePerSecond)]),
        .init(
            0x2A73, "Apparent Wind Direction",
            [.field("Apparent Wind Direction", .u16, .hundredth, .degree, valid: 0...35999)]),
        .init(0x2A74, "Gust Factor", [.field("Gust Factor", .u8, .tenth)]),
        .init(0x2A75, "Pollen Concentration", [.field("Pollen Concentration", .u24, .one, .perCubicMetre)]),
        .init(0x2A76, "UV Index", [.field("UV Index", .u8)]),
        .init(0x2A77, "Irradiance", [.field("Irradiance", .u16, .tenth, .wattPerSquareMetre)]),
        .init(0x2A78, "Rainfall", [.field("Rainfall", .u16, .thousandth, .metre)]),
        .init(0x2A79, "Wind Chill", [.field("Wind Chill", .s8, .one, .celsius)]),
        .init(0x2A7A, "Heat Index", [.field("Heat Index", .s8, .one, .celsius)]),
        .init(0x2A7B, "Dew Point", [.field("Dew Point", .s8, .one, .celsius)]),
        .init(
            0x2A7E, "Aerobic Heart Rate Lower Limit",
            [
                .field("Aerobic Heart Rate Lower Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(0x2A7F, "Aerobic Threshold", [.field("Aerobic Threshold", .u8, .one, .beatsPerMinute)]),
        .init(0x2A80, "Age", [.field("Age", .u8, .one, .year)]),
        .init(
            0x2A81, "Anaerobic Heart Rate Lower Limit",
            [
                .field("Anaerobic Heart Rate Lower Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(
            0x2A82, "Anaerobic Heart Rate Upper Limit",
            [
                .field("Anaerobic Heart Rate Upper Limit", .u8, .one, .beatsPerMinute)
            ]),
        .init(0x2A83, "Anaerobic Threshold", [.field("Anaerobic Threshold", .u8, .one, .beatsPerMinute)]),
    ]
}
