/// What a stored number means that is not a value.
///
/// The raw value is a phrase for people. Source: GATT Specification Supplement.
public enum SpecialMeaning: String, Hashable, Sendable, CaseIterable {
    /// The device has no valid value.
    case invalid = "not valid"
    /// The measurement failed.
    case unsuccessful = "measurement unsuccessful"
    /// The value is outside of the range of the sensor or of the field.
    case outOfRange = "out of range"
    /// The value is larger than the field can represent.
    case above = "above the range"
    /// The value is smaller than the field can represent.
    case below = "below the range"
    /// A time that is the life of the device.
    case lifetime = "total life of the device"
    /// A frequency of direct current.
    case directCurrent = "direct current"
    /// Not a number.
    case notANumber = "not a number"
    /// Positive infinity.
    case infinity = "infinity"
    /// Negative infinity.
    case negativeInfinity = "negative infinity"
    /// A number that the specification reserves or forbids.
    case reserved = "reserved value"
}

extension CharacteristicStructure.Field {
    /// Returns what a stored number of this field means that is not a value.
    public func meaning(ofSpecial number: Int64) -> SpecialMeaning {
        if let known = special[number] { return known }
        switch type {
        case .exponential where number == 0xFE: return .lifetime
        case .float32:
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: number))
            return float.isNaN ? .notANumber : float < 0 ? .negativeInfinity : .infinity
        default: return .reserved
        }
    }

    /// Whether a stored number is not a value.
    func isSpecial(_ number: Int64) -> Bool {
        switch type {
        case .exponential: return number == 0xFE
        case .float32: return Curve.float32.value(number) == nil
        default: break
        }
        if special[number] != nil { return true }
        guard let valid, !valid.contains(number) else { return false }
        return datePart == nil || number != 0
    }

    /// The value that means that there is none; nil if the field always has one.
    var absentValue: FieldValue? {
        if unknown != nil { return .unknown }
        return special.first { $0.value == .unsuccessful }.map { .special($0.key) }
    }
}

/// The part of a date that a field has. The others of a time have a range only.
enum DatePart: Hashable, Sendable {
    case year, month, day
}

/// Finds days that their month does not have. The fields of a date are year, month and day, in this order.
struct DateCheck {
    private var year = 0
    private var month = 0

    /// Returns the day if the month does not have it; otherwise notes year and month.
    mutating func impossibleDay(_ field: CharacteristicStructure.Field, _ value: FieldValue) -> Int64? {
        guard let part = field.datePart else { return nil }
        let number = value.number.flatMap { Int(exactly: $0) } ?? 0
        switch part {
        case .year: year = number
        case .month: month = number
        case .day: return number > ClockTime.days(inMonth: month, of: year) ? Int64(number) : nil
        }
        return nil
    }
}
