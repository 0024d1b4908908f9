/// The names that the Bluetooth SIG assigns to 16-bit UUIDs.
///
/// The tables are text with one row per line, so that they can be compared with the SIG's lists. Each table is parsed
/// once, on first use.
enum AssignedNames {
    /// Returns the name of a service, characteristic or descriptor; nil for an unknown number.
    static func name(of number: UInt16) -> String? {
        switch number {
        case 0x1800...0x18FF: services[number]
        case 0x2900...0x29FF: descriptors[number]
        case 0x2A00...0x2BFF: characteristics[number]
        default: nil
        }
    }

    /// Returns the number of the characteristic with a name, ignoring case; nil for an unknown name.
    static func characteristic(named name: String) -> UInt16? {
        let wanted = name.lowercased()
        return characteristics.first { $0.value.lowercased() == wanted }?.key
    }

    /// Returns the number of the service with a name, ignoring case; nil for an unknown name.
    static func service(named name: String) -> UInt16? {
        let wanted = name.lowercased()
        return services.first { $0.value.lowercased() == wanted }?.key
    }

    /// Parses rows of a hexadecimal number, a space and a name; ignores malformed rows.
    static func table(_ text: String) -> [UInt16: String] {
        var names: [UInt16: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let number = UInt16(parts[0], radix: 16) else { continue }
            names[number] = String(parts[1])
        }
        return names
    }
}

extension AssignedNames {
    /// The names of GATT services, by 16-bit number.
    /// Source: Bluetooth SIG, Assigned Numbers.
    static let services = table(
        """
        1800 Generic Access Profile
        1801 Generic Attribute Profile
        1802 Immediate Alert
        1803 Link Loss
        1804 Tx Power
        1805 Current Time Service
        1806 Reference Time Update Service
        1807 Next DST Change Service
        1808 Glucose
        1809 Health Thermometer
        180A Device Information
        180D Heart Rate
        180E Phone Alert Status Service
        180F Battery Service
        1810 Blood Pressure
        1811 Alert Notification Service
        1812 Human Interface Device
        1813 Scan Parameters
        1814 Running Speed and Cadence
        1815 Automation IO
        1816 Cycling Speed and Cadence
        1818 Cycling Power
        1819 Location and Navigation
        181A Environmental Sensing
        181B Body Composition
        181C User Data
        181D Weight Scale
        181E Bond Management
        181F Continuous Glucose Monitoring
        1820 Internet Protocol Support
        1821 Indoor Positioning
        1822 Pulse Oximeter
        1823 HTTP Proxy
        1824 Transport Discovery
        1825 Object Transfer
        1826 Fitness Machine
        1827 Mesh Provisioning
        1828 Mesh Proxy
        1843 Audio Input Control
        1844 Volume Control
        1845 Volume Offset Control
        1846 Coordinated Set Identification
        1848 Media Control
        1849 Generic Media Control
        184B Telephony Bearer
        184C Generic Telephony Bearer
        184D Microphone Control
        184E Audio Stream Control
        184F Broadcast Audio Scan
        1850 Published Audio Capabilities
        1851 Basic Audio Announcement
        1852 Broadcast Audio Announcement
        """)
}

extension AssignedNames {
    /// The names of GATT descriptors, by 16-bit number.
    /// Source: Bluetooth SIG, Assigned Numbers.
    static let descriptors = table(
        """
        2900 Characteristic Extended Properties
        2901 Characteristic User Description
        2902 Client Characteristic Configuration
        2903 Server Characteristic Configuration
        2904 Characteristic Format
        2905 Characteristic Aggregate Formate
        2906 Valid Range
        2907 External Report Reference
        2908 Report Reference
        2909 Number of Digitals
        290A Value Trigger Setting
        290B Environmental Sensing Configuration
        290C Environmental Sensing Measurement
        290D Environmental Sensing Trigger Setting
        290E Time Trigger Setting
        """)
}

extension AssignedNames {
    /// The names of GATT characteristics, by 16-bit number.
    /// Source: Bluetooth SIG, Assigned Numbers.
    static let characteristics = table(
        """
        2A00 Device Name
        2A01 Appearance
        2A02 Peripheral Privacy Flag
        2A03 Reconnection Address
        2A04 Peripheral Preferred Connection Parameters
        2A05 Service Changed
        2A06 Alert Level
        2A07 Tx Power Level
        2A08 Date Time
        2A09 Day of Week
        2A0A Day Date Time
        2A0C Exact Time 256
        2A0D DST Offset
        2A0E Time Zone
        2A0F Local Time Information
        2A11 Time with DST
        2A12 Time Accuracy
        2A13 Time Source
        2A14 Reference Time Information
        2A16 Time Update Control Point
        2A17 Time Update State
        2A18 Glucose Measurement
        2A19 Battery Level
        2A1C Temperature Measurement
        2A1D Temperature Type
        2A1E Intermediate Temperature
        2A21 Measurement Interval
        2A22 Boot Keyboard Input Report
        2A23 System ID
        2A24 Model Number String
        2A25 Serial Number String
        2A26 Firmware Revision String
        2A27 Hardware Revision String
        2A28 Software Revision String
        2A29 Manufacturer Name String
        2A2A IEEE 11073-20601 Regulatory Cert. Data List
        2A2B Current Time
        2A2C Magnetic Declination
        2A31 Scan Refresh
        2A32 Boot Keyboard Output Report
        2A33 Boot Mouse Input Report
        2A34 Glucose Measurement Context
        2A35 Blood Pressure Measurement
        2A36 Intermediate Cuff Pressure
        2A37 Heart Rate Measurement
        2A38 Body Sensor Location
        2A39 Heart Rate Control Point
        2A3F Alert Status
        2A40 Ringer Control Point
        2A41 Ringer Setting
        2A42 Alert Category ID Bit Mask
        2A43 Alert Category ID
        2A44 Alert Notification Control Point
        2A45 Unread Alert Status
        2A46 New Alert
        2A47 Supported New Alert Category
        2A48 Supported Unread Alert Category
        2A49 Blood Pressure Feature
        2A4A HID Information
        2A4B Report Map
        2A4C HID Control Point
        2A4D Report
        2A4E Protocol Mode
        2A4F Scan Interval Window
        2A50 PnP ID
        2A51 Glucose Feature
        2A52 Record Access Control Point
        2A53 RSC Measurement
        2A54 RSC Feature
        2A55 SC Control Point
        2A56 Digital
        2A58 Analog
        2A5A Aggregate
        2A5B CSC Measurement
        2A5C CSC Feature
        2A5D Sensor Location
        2A63 Cycling Power Measurement
        2A64 Cycling Power Vector
        2A65 Cycling Power Feature
        2A66 Cycling Power Control Point
        2A67 Location and Speed
        2A68 Navigation
        2A69 Position Quality
        2A6A LN Feature
        2A6B LN Control Point
        2A6C Elevation
        2A6D Pressure
        2A6E Temperature
        2A6F Humidity
        2A70 True Wind Speed
        2A71 True Wind Direction
        2A72 Apparent Wind Speed
        2A73 Apparent Wind Direction
        2A74 Gust Factor
        2A75 Pollen Concentration
        2A76 UV Index
        2A77 Irradiance
        2A78 Rainfall
        2A79 Wind Chill
        2A7A Heat Index
        2A7B Dew Point
        2A7C Trend
        2A7D Descriptor Value Changed
        2A7E Aerobic Heart Rate Lower Limit
        2A7F Aerobic Threshold
        2A80 Age
        2A81 Anaerobic Heart Rate Lower Limit
        2A82 Anaerobic Heart Rate Upper Limit
        2A83 Anaerobic Threshold
        2A84 Aerobic Heart Rate Upper Limit
        2A85 Date of Birth
        2A86 Date of Threshold Assessment
        2A87 Email Address
        2A88 Fat Burn Heart Rate Lower Limit
        2A89 Fat Burn Heart Rate Upper Limit
        2A8A First Name
        2A8B Five Zone Heart Rate Limits
        2A8C Gender
        2A8D Heart Rate Max
        2A8E Height
        2A8F Hip Circumference
        2A90 Last Name
        2A91 Maximum Recommended Heart Rate
        2A92 Resting Heart Rate
        2A93 Sport Type for Aerobic/Anaerobic Thresholds
        2A94 Three Zone Heart Rate Limits
        2A95 Two Zone Heart Rate Limit
        2A96 VO2 Max
        2A97 Waist Circumference
        2A98 Weight
        2A99 Database Change Increment
        2A9A User Index
        2A9B Body Composition Feature
        2A9C Body Composition Measurement
        2A9D Weight Measurement
        2A9E Weight Scale Feature
        2A9F User Control Point
        2AA0 Magnetic Flux Density - 2D
        2AA1 Magnetic Flux Density - 3D
        2AA2 Language
        2AA3 Barometric Pressure Trend
        2AA4 Bond Management Control Point
        2AA5 Bond Management Feature
        2AA6 Central Address Resolution
        2AA7 CGM Measurement
        2AA8 CGM Feature
        2AA9 CGM Status
        2AAA CGM Session Start Time
        2AAB CGM Session Run Time
        2AAC CGM Specific Ops Control Point
        2AAD Indoor Positioning Configuration
        2AAE Latitude
        2AAF Longitude
        2AB0 Local North Coordinate
        2AB1 Local East Coordinate
        2AB2 Floor Number
        2AB3 Altitude
        2AB4 Uncertainty
        2AB5 Location Name
        2AB6 URI
        2AB7 HTTP Headers
        2AB8 HTTP Status Code
        2AB9 HTTP Entity Body
        2ABA HTTP Control Point
        2ABB HTTPS Security
        2ABC TDS Control Point
        2ABD OTS Feature
        2ABE Object Name
        2ABF Object Type
        2AC0 Object Size
        2AC1 Object First-Created
        2AC2 Object Last-Modified
        2AC3 Object ID
        2AC4 Object Properties
        2AC5 Object Action Control Point
        2AC6 Object List Control Point
        2AC7 Object List Filter
        2AC8 Object Changed
        2AC9 Resolvable Private Address Only
        2ACC Fitness Machine Feature
        2ACD Treadmill Data
        2ACE Cross Trainer Data
        2ACF Step Climber Data
        2AD0 Stair Climber Data
        2AD1 Rower Data
        2AD2 Indoor Bike Data
        2AD3 Training Status
        2AD4 Supported Speed Range
        2AD5 Supported Inclination Range
        2AD6 Supported Resistance Level Range
        2AD7 Supported Heart Rate Range
        2AD8 Supported Power Range
        2AD9 Fitness Machine Control Point
        2ADA Fitness Machine Status
        2ADB Mesh Provisioning Data In
        2ADC Mesh Provisioning Data Out
        2ADD Mesh Proxy Data In
        2ADE Mesh Proxy Data Out
        2B29 Client Supported Features
        2B2A Database Hash
        2B3A Server Supported Features
        2B77 Audio Input State
        2B78 Gain Settings Attribute
        2B79 Audio Input Type
        2B7A Audio Input Status
        2B7B Audio Input Control Point
        2B7C Audio Input Description
        2B7D Volume State
        2B7E Volume Control Point
        2B7F Volume Flags
        2B80 Offset State
        2B81 Audio Location
        2B82 Volume Offset Control Point
        2B83 Audio Output Description
        2B84 Set Identity Resolving Key
        2B93 Media Player Name
        2B94 Media Player Icon Object ID
        2B95 Media Player Icon URL
        2B96 Track Changed
        2B97 Track Title
        2B98 Track Duration
        2B99 Track Position
        2B9A Playback Speed
        2B9B Seeking Speed
        2B9C Current Track Segments Object ID
        2B9D Current Track Object ID
        2B9E Next Track Object ID
        2B9F Parent Group Object ID
        2BA0 Current Group Object ID
        2BA1 Playing Order
        2BA2 Playing Orders Supported
        2BA3 Media State
        2BA4 Media Control Point
        2BA5 Media Control Point Opcodes Supported
        2BA6 Search Results Object ID
        2BA7 Search Control Point
        2BA9 Media Player Icon Object Type
        2BAA Track Segments Object Type
        2BAB Track Object Type
        2BAC Group Object Type
        2BB3 Bearer Provider Name
        2BB4 Bearer UCI
        2BB5 Bearer Technology
        2BB6 Bearer URI Schemes Supported List
        2BB7 Bearer Signal Strength
        2BB8 Bearer Signal Strength Reporting Interval
        2BB9 Bearer List Current Calls
        2BBA Content Control ID
        2BBB Status Flags
        2BBC Incoming Call Target Bearer URI
        2BBD Call State
        2BBE Call Control Point
        2BBF Call Control Point Optional Opcodes
        2BC0 Termination Reason
        2BC1 Incoming Call
        2BC2 Call Friendly Name
        2BC3 Mute
        2BC4 Sink ASE
        2BC5 Source ASE
        2BC6 ASE Control Point
        2BC7 Broadcast Audio Scan Control Point
        2BC8 Broadcast Receive State
        2BC9 Sink PAC
        2BCA Sink Audio Locations
        2BCB Source PAC
        2BCC Source Audio Locations
        2BCD Available Audio Contexts
        2BCE Supported Audio Contexts
        """)
}
