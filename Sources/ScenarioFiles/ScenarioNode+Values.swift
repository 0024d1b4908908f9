import RxBluetoothMocks
import YAMLDocuments

/// Reads single values, such as numbers, times, UUIDs and addresses, and checks them.
extension ScenarioNode {
    func text() throws(ScenarioFileError) -> String {
        guard let text = node.scalar else { throw wrong("text") }
        return text
    }

    func truth() throws(ScenarioFileError) -> Bool {
        switch try text().lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw wrong("true or false")
        }
    }

    func number(_ range: ClosedRange<Int>) throws(ScenarioFileError) -> Int {
        let text = try text().lowercased()
        let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        guard let number, range.contains(number) else {
            throw wrong("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads a time of 0 or more, such as `250 ms`, `1.5 s` or `10 min`.
    func time() throws(ScenarioFileError) -> Duration {
        guard let time = Self.duration(try text()), time >= .zero else {
            throw wrong("a time of 0 or more, such as 250 ms, 1.5 s or 10 min")
        }
        return time
    }

    /// Reads a time above 0.
    func interval() throws(ScenarioFileError) -> Duration {
        guard let time = Self.duration(try text()), time > .zero else {
            throw wrong("a time above 0, such as 250 ms, 1.5 s or 10 min")
        }
        return time
    }

    private static func duration(_ text: String) -> Duration? {
        let units: [(name: String, milliseconds: Double)] = [("ms", 1), ("min", 60_000), ("s", 1_000)]
        for unit in units where text.hasSuffix(unit.name) {
            let digits = text.dropLast(unit.name.count).filter { $0 != " " }
            guard let number = Double(digits), number.isFinite, abs(number) < 1e9 else { return nil }
            return .microseconds(Int64((number * unit.milliseconds * 1_000).rounded()))
        }
        return nil
    }

    /// Reads hexadecimal bytes, such as `0d 48`.
    func bytes(atMost limit: Int) throws(ScenarioFileError) -> [UInt8] {
        let digits = try text().filter { $0 != " " && $0 != "\n" }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(Self.isDigit),
                let byte = UInt8(rest.prefix(2), radix: 16)
            else {
                throw wrong("hexadecimal bytes, such as 0d 48")
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard bytes.count <= limit else {
            throw error("\(name) has \(bytes.count) bytes", "at most \(limit) bytes")
        }
        return bytes
    }

    /// Whether a character is a hexadecimal digit in ASCII. `isHexDigit` also accepts full-width digits.
    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isHexDigit }

    func uuid() throws(ScenarioFileError) -> String {
        let text = try text().lowercased()
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isShort = parts.count == 1 && [4, 8].contains(text.count)
        guard isShort || parts.map(\.count) == [8, 4, 4, 4, 12], parts.joined().allSatisfy(Self.isDigit) else {
            throw wrong("a UUID of 16, 32 or 128 bits, such as 180d")
        }
        return text
    }

    func address() throws(ScenarioFileError) -> String {
        let text = try text().uppercased()
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(Self.isDigit) }) else {
            throw wrong("an address such as C0:FF:EE:00:00:01")
        }
        return text
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _: Choice.Type
    ) throws(ScenarioFileError) -> Choice where Choice.RawValue == String {
        let text = try text().lowercased()
        guard let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == text }) else {
            throw wrong("one of \(Choice.allCases.map { $0.rawValue.lowercased() }.joined(separator: ", "))")
        }
        return choice
    }
}
