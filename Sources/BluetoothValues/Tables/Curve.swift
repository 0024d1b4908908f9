import Glibc

/// A conversion of a stored integer that is not linear.
struct Curve: Sendable {
    /// Returns the value of an integer; nil if the integer is not valid.
    let value: @Sendable (Int64) -> Double?
    /// Returns the integer of a value; nil if it has none.
    let integer: @Sendable (Double) -> Int64?

    /// 254 steps from 0 to 65535 with equal ratios. Source: Ruuvi data format 6, luminosity.
    static let logarithmic: Curve = {
        let step = Glibc.log(65536.0) / 254
        return Curve(
            value: { exp(Double($0) * step) - 1 },
            integer: { $0 >= 0 && $0 <= 65535.5 ? Int64((Glibc.log($0 + 1) / step).rounded()) : nil })
    }()

    /// A sign bit, seven bits of whole units and eight bits of hundredths. Source: Ruuvi data format 3.
    static let signedHundredths = Curve(
        value: { raw in
            guard raw & 0xFF < 100 else { return nil }
            let size = Double((raw >> 8 & 0x7F) * 100 + raw & 0xFF) / 100
            return raw & 0x8000 == 0 ? size : -size
        },
        integer: { value in
            guard abs(value) < 128, let size = Int64(exactly: abs(value * 100).rounded()), size < 12800 else {
                return nil
            }
            return (value < 0 ? 0x8000 : 0) | (size / 100) << 8 | (size % 100)
        })

    /// A sign bit and the size, with a divisor.
    static func signMagnitude(bits: Int64, over divisor: Double) -> Curve {
        let sign: Int64 = 1 << (bits - 1)
        return Curve(
            value: { raw in Double(raw & (sign - 1)) / divisor * (raw & sign == 0 ? 1 : -1) },
            integer: { value in
                guard let size = Int64(exactly: abs(value * divisor).rounded()), size < sign else { return nil }
                return (value < 0 ? sign : 0) | size
            })
    }

    /// One bit for positive, seven bits of whole units. Source: SwitchBot, temperature.
    static let positiveBit = Curve(
        value: { raw in Double(raw & 0x7F) * (raw & 0x80 == 0 ? -1 : 1) },
        integer: { value in
            guard let size = Int64(exactly: abs(value).rounded()), size < 128 else { return nil }
            return (value < 0 ? 0 : 0x80) | size
        })
}
