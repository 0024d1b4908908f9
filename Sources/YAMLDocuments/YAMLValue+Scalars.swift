/// Reads single values, such as numbers, durations and sizes.
extension YAMLValue {
    /// Returns a text that is not empty.
    package func text() -> String? {
        guard let text = node.scalar, !isNull else {
            reportInvalid("write text")
            return nil
        }
        return text
    }

    /// Returns true or false. The advice is part of the mistake of another value.
    package func flag(advice: String = "write true or false") -> Bool? {
        switch node.scalar?.lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default:
            reportInvalid(advice)
            return nil
        }
    }

    /// Returns a whole number in a range.
    package func integer(_ range: ClosedRange<Int>) -> Int? {
        guard let number = node.scalar.flatMap({ Int($0) }), range.contains(number) else {
            reportInvalid("write a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// Returns a number in a range.
    package func decimal(_ range: ClosedRange<Double>, example: String) -> Double? {
        guard let number = node.scalar.flatMap(Self.number), range.contains(number) else {
            let bounds = "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
            reportInvalid("write a number from \(bounds), for example \(example)")
            return nil
        }
        return number
    }

    /// Returns one of several words.
    package func choice<Choice>(_ choices: [(word: String, value: Choice)]) -> Choice? {
        guard let text = node.scalar?.lowercased(), let choice = choices.first(where: { $0.word == text }) else {
            reportInvalid("write one of \(choices.map(\.word).joined(separator: ", "))")
            return nil
        }
        return choice.value
    }

    /// Returns a duration in a range, such as `250 ms`, `5 s`, `10 min`, `2 h` or `1 d`.
    package func duration(_ range: ClosedRange<Duration>) -> Duration? {
        guard let duration = node.scalar.flatMap(Self.duration), range.contains(duration) else {
            let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
            reportInvalid("write a time from \(bounds), such as 5 s, 10 min or 1 d")
            return nil
        }
        return duration
    }

    /// Returns a size in bytes in a range, such as `64 KiB` or `100 MiB`.
    package func size(_ range: ClosedRange<Int>) -> Int? {
        let units: [(name: String, factor: Double)] = [
            ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("B", 1),
        ]
        guard let text = node.scalar, let size = Self.scaled(text, units), size < 1e15, range.contains(Int(size)) else {
            reportInvalid("write a size from \(range.lowerBound) B to \(range.upperBound >> 20) MiB, such as 100 MiB")
            return nil
        }
        return Int(size)
    }

    /// Reads a time with its unit. `m` means minutes, as on the command line.
    package static func duration(_ text: String) -> Duration? {
        let units: [(name: String, factor: Double)] = [
            ("ms", 1), ("min", 60_000), ("m", 60_000), ("s", 1_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let milliseconds = scaled(text, units), milliseconds < 1e12 else { return nil }
        return .microseconds(Int64((milliseconds * 1_000).rounded()))
    }

    /// Returns a time in its largest unit without a fraction, for example `10 min`.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard attoseconds == 0, seconds != 0 else {
            return seconds == 0 && attoseconds == 0
                ? "0 s" : "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) ms"
        }
        for (unit, factor) in [("d", 86_400), ("h", 3_600), ("min", 60)] as [(String, Int64)]
        where seconds.isMultiple(of: factor) {
            return "\(seconds / factor) \(unit)"
        }
        return "\(seconds) s"
    }

    private static func scaled(_ text: String, _ units: [(name: String, factor: Double)]) -> Double? {
        for unit in units where text.hasSuffix(unit.name) {
            guard let number = number(text.dropLast(unit.name.count).filter { $0 != " " }) else { continue }
            return number * unit.factor
        }
        return nil
    }

    /// Reads a number in decimal digits. `Double` also accepts hexadecimal digits, exponents and `inf`.
    private static func number(_ text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E || $0 == 0x2D
        }
        return isPlain ? Double(text) : nil
    }

    private static func short(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    }
}
