import RxBluetooth
import RxBluetoothSupport

/// Dates, times and time zones of characteristics as text.
enum DateText {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// Returns a date, with time and day of the week if the value has them; nil if a number is invalid.
    ///
    /// What the device does not know is left out.
    static func text(_ record: CharacteristicRecord) -> String? {
        let isInvalid = record.entries.contains { if case .special = $0.value { true } else { false } }
        guard !isInvalid else { return nil }
        var text = date(record)
        if let hour = record.number("Hours"), let minute = record.number("Minutes"),
            let second = record.number("Seconds")
        {
            let fraction = record["Fractions of a Second"]?.number ?? 0
            let decimals = fraction == 0 ? "" : NumberText.of((fraction * 1000).rounded() / 1000).dropFirst()
            text += text.isEmpty ? "" : " "
            text += [hour, minute, second].map { padded($0, 2) }.joined(separator: ":") + decimals
        }
        if let day = record.number("Day of Week"), weekdays.indices.contains(day - 1) {
            text += ", " + weekdays[day - 1]
        }
        return text.isEmpty ? "not known" : text
    }

    private static func date(_ record: CharacteristicRecord) -> String {
        func known(_ name: String) -> Int? { record.number(name).flatMap { $0 == 0 ? nil : $0 } }
        guard let year = known("Year") else {
            guard let month = known("Month"), let day = known("Day") else { return "" }
            return "--" + padded(month, 2) + "-" + padded(day, 2)
        }
        guard let month = known("Month") else { return padded(year, 4) }
        return padded(year, 4) + "-" + padded(month, 2) + (known("Day").map { "-" + padded($0, 2) } ?? "")
    }

    /// Returns a time zone, an offset of daylight saving time, or both; nil if one of the numbers is invalid.
    static func localTime(_ record: CharacteristicRecord) -> String? {
        var parts: [String] = []
        for entry in record.entries {
            switch (entry.name, entry.value) {
            case ("Time Zone", .integer(let quarters)):
                let size = abs(quarters)
                parts.append("UTC\(quarters < 0 ? "-" : "+")\(size / 4):\(padded(Int(size % 4 * 15), 2))")
            case ("Time Zone", .unknown): parts.append("time zone not known")
            case ("DST Offset", .integer(let quarters)):
                let names: [Int64: String] = [
                    0: "standard time", 2: "daylight saving time +0.5 h", 4: "daylight saving time +1 h",
                    8: "daylight saving time +2 h",
                ]
                guard let name = names[quarters] else { return nil }
                parts.append(name)
            case ("DST Offset", .unknown): parts.append("daylight saving time not known")
            default: return nil
            }
        }
        return parts.joined(separator: ", ")
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
