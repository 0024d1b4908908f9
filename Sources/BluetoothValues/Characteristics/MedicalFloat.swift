/// A decimal floating-point number of medical devices, of 16 bits (SFLOAT) or 32 bits (FLOAT).
///
/// The exponent is in two's complement. The stored bits are kept, so that special values and the number of decimal
/// places return unchanged from encoding. Source: IEEE 11073-20601, Annex F.
public struct MedicalFloat: Hashable, Sendable {
    /// The width of a number.
    public enum Width: Int, Hashable, Sendable {
        /// 12 bits of mantissa and 4 bits of exponent: SFLOAT.
        case short = 16
        /// 24 bits of mantissa and 8 bits of exponent: FLOAT.
        case long = 32

        var mantissaBits: Int64 { self == .short ? 12 : 24 }
        var exponents: ClosedRange<Int> { self == .short ? -8...7 : -128...127 }
    }

    /// What the bits represent.
    public enum Kind: Hashable, Sendable {
        /// A number.
        case number
        /// Not a number: an invalid result.
        case notANumber
        /// The value cannot be represented with the resolution.
        case notAtThisResolution
        /// Positive infinity.
        case positiveInfinity
        /// Negative infinity.
        case negativeInfinity
        /// Reserved for future use.
        case reserved
    }

    /// The width of the number.
    public let width: Width
    /// The bits, in the lower half for a short number.
    public let rawValue: UInt32

    /// Makes a number from its bits. Bits beyond the width are ignored.
    public init(rawValue: UInt32, width: Width) {
        self.width = width
        self.rawValue = width == .short ? rawValue & 0xFFFF : rawValue
    }

    /// Makes a number from mantissa and exponent; nil if one is out of range, or they mean a special value.
    public init?(mantissa: Int, exponent: Int, width: Width) {
        guard width.exponents.contains(exponent), mantissa.magnitude < 1 << (width.mantissaBits - 1) - 2 else {
            return nil
        }
        let mask = 1 << Int(width.mantissaBits) - 1
        let bits = (mantissa & mask) | (exponent & (width == .short ? 0xF : 0xFF)) << Int(width.mantissaBits)
        self.init(rawValue: UInt32(truncatingIfNeeded: bits), width: width)
    }

    /// Makes the nearest number with as many decimal places as fit, at most the given number.
    ///
    /// NaN and infinities make the special values. A number that is too large makes an infinity.
    public init(_ value: Double, decimals: Int = 2, width: Width = .short) {
        if value.isNaN {
            self = .special(.notANumber, width)
            return
        }
        var exponent = -max(0, min(decimals, width == .short ? 8 : 128))
        while exponent <= width.exponents.upperBound {
            let scaled = exponent < 0 ? value * Self.power(-exponent) : value / Self.power(exponent)
            if let mantissa = Int(exactly: scaled.rounded()),
                let number = MedicalFloat(mantissa: mantissa, exponent: exponent, width: width)
            {
                self = number
                return
            }
            exponent += 1
        }
        self = .special(value < 0 ? .negativeInfinity : .positiveInfinity, width)
    }

    /// Makes a special value. ``Kind/number`` makes zero, and ``Kind/reserved`` the reserved value.
    public static func special(_ kind: Kind, _ width: Width) -> MedicalFloat {
        let middle: UInt32 = 1 << UInt32(width.mantissaBits - 1)
        let bits: UInt32 =
            switch kind {
            case .number: 0
            case .notANumber: middle - 1
            case .notAtThisResolution: middle
            case .positiveInfinity: middle - 2
            case .negativeInfinity: middle + 2
            case .reserved: middle + 1
            }
        return MedicalFloat(rawValue: bits, width: width)
    }

    /// The mantissa, in two's complement.
    public var mantissa: Int {
        let shift = Int(32 - width.mantissaBits)
        return Int(Int32(truncatingIfNeeded: rawValue << UInt32(shift)) >> Int32(shift))
    }

    /// The exponent of ten, in two's complement.
    public var exponent: Int {
        width == .short
            ? Int(Int32(truncatingIfNeeded: rawValue << 16) >> 28) : Int(Int32(truncatingIfNeeded: rawValue) >> 24)
    }

    /// What the bits represent.
    public var kind: Kind {
        // The special values are defined with an exponent of zero.
        guard exponent == 0 else { return .number }
        let limit = 1 << (width.mantissaBits - 1)
        switch mantissa {
        case limit - 1: return .notANumber
        case -limit: return .notAtThisResolution
        case limit - 2: return .positiveInfinity
        case -limit + 2: return .negativeInfinity
        case -limit + 1: return .reserved
        default: return .number
        }
    }

    /// The value. NaN for everything that is neither a number nor infinite.
    public var value: Double {
        switch kind {
        case .number:
            exponent < 0 ? Double(mantissa) / Self.power(-exponent) : Double(mantissa) * Self.power(exponent)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .notANumber, .notAtThisResolution, .reserved: .nan
        }
    }

    /// Returns the same number with another width; nil if it has too many digits for it.
    func converted(to width: Width) -> MedicalFloat? {
        guard width != self.width else { return self }
        guard kind == .number else { return .special(kind, width) }
        var (mantissa, exponent) = (mantissa, exponent)
        // Zeros at the end of the mantissa carry no value.
        while mantissa != 0, mantissa % 10 == 0, exponent < width.exponents.upperBound {
            (mantissa, exponent) = (mantissa / 10, exponent + 1)
        }
        if mantissa == 0 { exponent = max(width.exponents.lowerBound, min(exponent, width.exponents.upperBound)) }
        return MedicalFloat(mantissa: mantissa, exponent: exponent, width: width)
    }

    private static func power(_ exponent: Int) -> Double {
        var power = 1.0
        for _ in 0..<exponent { power *= 10 }
        return power
    }
}

extension MedicalFloat: CustomStringConvertible {
    /// The value, or the name of the special value as the standard has it.
    public var description: String {
        switch kind {
        case .number: String(value)
        case .notANumber: "NaN"
        case .notAtThisResolution: "NRes"
        case .positiveInfinity: "+INF"
        case .negativeInfinity: "-INF"
        case .reserved: "reserved"
        }
    }
}
