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
