/// The names that the Bluetooth SIG gives to 16-bit numbers.
///
/// The tables are text, one row a line, so that they read and compare like the SIG's own lists. They are parsed once,
/// on first use.
enum AssignedNames {
    /// The name of a service, characteristic or descriptor; nil for one that the SIG did not name.
    static func name(of number: UInt16) -> String? {
        switch number {
        case 0x1800...0x18FF: services[number]
        case 0x2900...0x29FF: descriptors[number]
        case 0x2A00...0x2BFF: characteristics[number]
        default: nil
        }
    }

    /// The number of a characteristic by its name; capitals do not matter.
    static func characteristic(named name: String) -> UInt16? {
        let wanted = name.lowercased()
        return characteristics.first { $0.value.lowercased() == wanted }?.key
    }

    /// The number of a service by its name; capitals do not matter.
    static func service(named name: String) -> UInt16? {
        let wanted = name.lowercased()
        return services.first { $0.value.lowercased() == wanted }?.key
    }

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
