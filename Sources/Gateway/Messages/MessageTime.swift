import FoundationEssentials

/// Times in messages, in the format of RFC 3339, in UTC with milliseconds: `2026-03-14T15:09:26.535Z`.
enum MessageTime {
    /// Returns the text of a time between the years 1970 and 9999; other times are clamped.
    static func text(_ time: Date) -> String {
        let latest = 253_402_300_799_999.0
        let milliseconds = Int64(min(max((time.timeIntervalSince1970 * 1_000).rounded(), 0), latest))
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = date(days)
        let second = rest / 1_000
        var text: [UInt8] = []
        text.reserveCapacity(24)
        let numbers =
            [
                (year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (second / 3_600, 2, ":"), (second / 60 % 60, 2, ":"),
                (second % 60, 2, "."), (rest % 1_000, 3, "Z"),
            ] as [(Int64, Int, Unicode.Scalar)]
        for (number, count, separator) in numbers {
            append(number, count, to: &text)
            text.append(UInt8(ascii: separator))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the Gregorian date of a day since 1970. Source: Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", civil_from_days.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Appends decimal digits with leading zeros.
    private static func append(_ number: Int64, _ count: Int, to text: inout [UInt8]) {
        var unit: Int64 = 1
        for _ in 1..<count { unit *= 10 }
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
    }
}
