import Glibc

/// A conversion of a stored integer that is not linear.
enum Curve: Hashable, Sendable {
    /// 254 steps from 0 to 65535 with equal ratios. Source: Ruuvi data format 6, luminosity.
    case logarithmic
    /// A sign bit, seven bits of whole units and eight bits of hundredths. Source: Ruuvi data format 3.
    ///
    /// For 100 hundredths or more, the value is 65,536 plus the integer, so that it is impossible.
    case signedHundredths
    /// Four bits of tenths, a bit for positive, and seven bits of whole units. Source: SwitchBot, temperature.
    ///
    /// For ten tenths or more, the value is 65,536 plus the integer, so that it is impossible.
    case tenthsAndPositive
    /// A number in the 32-bit format of IEEE 754. Values that are not finite are invalid.
    case float32
    /// 54 more than the temperature in °F, in the 32-bit format of IEEE 754. Source: thermopro-ble, TP972.
    ///
    /// The value is in °C. Values that are not finite are invalid.
    case shiftedFahrenheit
    /// 1.1 to the power of (number − 64); 0 for 0. Source: GATT Specification Supplement, Time Exponential 8.
    case exponential

    /// What is added to an integer with digits that are none. No temperature has such a number.
    private static let undefined: Int64 = 0x1_0000
    /// The converted °F are exact to 40 bits after the point, so smaller numbers count as 0.
    private static let smallest = Float(0x1p-16)
    private static let step = Glibc.log(65536.0) / 254

    /// Returns the value of an integer; nil if the integer is not valid.
    func value(_ raw: Int64) -> Double? {
        switch self {
        case .logarithmic: return Glibc.exp(Double(raw) * Self.step) - 1
        case .signedHundredths:
            guard raw & 0xFF < 100 else { return Double(Self.undefined + raw) }
            let size = Double((raw >> 8 & 0x7F) * 100 + raw & 0xFF) / 100
            return raw & 0x8000 == 0 ? size : -size
        case .tenthsAndPositive:
            let tenths = raw >> 8 & 0xF
            guard tenths < 10 else { return Double(Self.undefined + raw) }
            return Double((raw & 0x7F) * 10 + tenths) / 10 * (raw & 0x80 == 0 ? -1 : 1)
        case .float32:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: raw))
            return number.isFinite ? Double(number) : nil
        case .shiftedFahrenheit:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: raw))
            guard number.isFinite else { return nil }
            return ((number.magnitude < Self.smallest ? 0 : Double(number)) - 86) * 5 / 9
        case .exponential: return raw == 0 ? 0 : raw < 0xFE ? Self.power(Int(raw) - 64) : nil
        }
    }

    /// Returns the integer of a value; nil if it has none.
    func integer(_ value: Double) -> Int64? {
        switch self {
        case .logarithmic:
            return value >= 0 && value <= 65535.5 ? Int64((Glibc.log(value + 1) / Self.step).rounded()) : nil
        case .signedHundredths:
            if value >= Double(Self.undefined) { return undefinedInteger(value) }
            guard let size = Int64(exactly: abs(value * 100).rounded()), size < 12800 else { return nil }
            return (value < 0 ? 0x8000 : 0) | (size / 100) << 8 | (size % 100)
        case .tenthsAndPositive:
            if value >= Double(Self.undefined) { return undefinedInteger(value) }
            guard let size = Int64(exactly: abs(value * 10).rounded()), size < 1280 else { return nil }
            return (size % 10) << 8 | (size / 10) | (value < 0 ? 0 : 0x80)
        case .float32:
            let number = Float(value)
            return number.isFinite ? Int64(number.bitPattern) : nil
        case .shiftedFahrenheit:
            let number = Float(value * 9 / 5 + 86)
            guard number.isFinite else { return nil }
            // All bits of 0 mean that there is no value.
            return Int64((number.magnitude < Self.smallest ? Float.leastNonzeroMagnitude : number).bitPattern)
        case .exponential:
            if value == 0 { return 0 }
            return (1..<0xFE).first { abs(Self.power($0 - 64) - value) <= value * 0.04 }.map { Int64($0) }
        }
    }

    /// Returns the integer of a value that stands for digits that are none; nil if it does not.
    private func undefinedInteger(_ value: Double) -> Int64? {
        guard let integer = Int64(exactly: value - Double(Self.undefined)), self.value(integer) == value else {
            return nil
        }
        return integer
    }

    private static func power(_ exponent: Int) -> Double {
        var power = 1.0
        for _ in 0..<abs(exponent) { power *= 1.1 }
        return exponent < 0 ? 1 / power : power
    }
}
