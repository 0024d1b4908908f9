/// A date and time without a time zone, as a device's clock shows it.
///
/// Year, month and day are 0 if the device does not send them.
public struct ClockTime: Hashable, Sendable {
    /// The year, 0 if unknown.
    public var year: Int
    /// The month from 1 to 12, 0 if unknown.
    public var month: Int
    /// The day of the month from 1 to 31, 0 if unknown.
    public var day: Int
    /// The hour from 0 to 23.
    public var hour: Int
    /// The minute from 0 to 59.
    public var minute: Int
    /// The second from 0 to 59.
    public var second: Int

    /// Makes a date and time.
    public init(year: Int = 0, month: Int = 0, day: Int = 0, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The number of days of a month; 31 if the month is unknown, and 29 for a February of an unknown year.
    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2:
            let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            return isLeapYear ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// The seconds since 1970-01-01 00:00 on the same clock; nil if the date is incomplete or impossible.
    public var secondsSince1970: Int64? {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, of: year), (0...23).contains(hour), (0...59).contains(minute),
            (0...59).contains(second)
        else { return nil }
        // Formula: days from 0000-03-01 in the Gregorian calendar, with years that begin in March.
        let years = Int64(month > 2 ? year : year - 1)
        let months = Int64((month + 9) % 12)
        let days = years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + Int64(day) - 1
        return (days - 719_468) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}

extension ClockTime: CustomStringConvertible {
    /// The date and time in the form of ISO 8601, without a time zone.
    public var description: String {
        func text(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return text(year, 4) + "-" + text(month, 2) + "-" + text(day, 2) + "T" + text(hour, 2) + ":" + text(minute, 2)
            + ":" + text(second, 2)
    }
}
