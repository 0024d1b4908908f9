import BluetoothValues

/// Decodes advertisements, one a line, for the comparison with other decoders; `scripts/test-values-peers` runs it.
///
/// A line is `KIND IDENTIFIER BYTES ADDRESS NAME KEY`: `m` or `s`, hexadecimal digits, and `-` for no name or key. In a
/// name, `_` stands for a space. The answer is a line of the measurements, the states and the number of events, or
/// `unknown`, or `failure` with the reason. With the argument `structures`, the program prints the fields of all
/// characteristics.
@main
struct DecodeLines {
    static func main() {
        if CommandLine.arguments.dropFirst() == ["structures"] { return printStructures() }
        while let line = readLine() {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 6, let section = section(parts), let address = SenderAddress(String(parts[3])) else {
                print("malformed line")
                continue
            }
            var decoder = SensorDecoder()
            decoder.keys[address] = DeviceKey(parts[5])
            let name = parts[4] == "-" ? nil : String(parts[4].map { $0 == "_" ? " " : $0 })
            print(answer(decoder.decode(section, from: address, name: name)))
        }
    }

    /// Prints the UUID, the name, the unit and the factor of each field of a characteristic.
    private static func printStructures() {
        for structure in CharacteristicStructure.all {
            for field in structure.fields {
                let uuid = String(structure.uuid, radix: 16)
                print(uuid, field.name, field.unit.rawValue, field.factor, separator: "\t")
            }
        }
    }

    private static func section(_ parts: [Substring]) -> AdvertisedSection? {
        guard let identifier = UInt16(parts[1], radix: 16) else { return nil }
        let digits = Array(parts[2])
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[start...(start + 1)]), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return AdvertisedSection(parts[0] == "m" ? .manufacturer : .service, identifier, bytes)
    }

    private static func answer(_ result: SensorResult) -> String {
        switch result {
        case .unknown: return "unknown"
        case .failure(let error): return "failure \(error.reason)"
        case .reading(let reading):
            // Other decoders report impossible numbers as values.
            let numbers = reading.measurements + reading.impossible
            var parts = numbers.map { "\($0.quantity.rawValue)/\($0.unit.rawValue)=\($0.value)" }
            parts += reading.states.map { "state/\($0.kind.rawValue)=\($0.isOn ? 1 : 0)" }
            for identifier in reading.identifiers {
                if case .number(let number) = identifier.value {
                    parts.append("\(identifier.kind.rawValue)/id=\(number)")
                }
            }
            parts.append("format/\(reading.format.rawValue)=\(reading.events.count)")
            return parts.joined(separator: ";")
        }
    }
}
