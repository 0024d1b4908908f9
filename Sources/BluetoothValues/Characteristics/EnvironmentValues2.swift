/// How cold it feels, from temperature and wind.
public struct WindChill: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A79

    /// The temperature in °C.
    public var celsius: Double

    /// Makes a value.
    public init(_ celsius: Double) {
        self.celsius = celsius
    }

    private static let table = ValueTable<WindChill>(
        0x2A79, empty: WindChill(0),
        [
            .number("Wind Chill", \.celsius)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The speed of the wind over ground.
public struct TrueWindSpeed: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A70

    /// The speed in m/s.
    public var metresPerSecond: Double

    /// Makes a value.
    public init(_ metresPerSecond: Double) {
        self.metresPerSecond = metresPerSecond
    }

    private static let table = ValueTable<TrueWindSpeed>(
        0x2A70, empty: TrueWindSpeed(0),
        [
            .number("True Wind Speed", \.metresPerSecond)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The direction that the wind blows from.
public struct TrueWindDirection: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A71

    /// The direction in degrees from north.
    public var degrees: Double

    /// Makes a value.
    public init(_ degrees: Double) {
        self.degrees = degrees
    }

    private static let table = ValueTable<TrueWindDirection>(
        0x2A71, empty: TrueWindDirection(0),
        [
            .number("True Wind Direction", \.degrees)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The height of rain.
public struct Rainfall: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A78

    /// The height in metres.
    public var metres: Double

    /// Makes a value.
    public init(_ metres: Double) {
        self.metres = metres
    }

    private static let table = ValueTable<Rainfall>(
        0x2A78, empty: Rainfall(0),
        [
            .number("Rainfall", \.metres)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The power of light on an area.
public struct Irradiance: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A77

    /// The power in W/m².
    public var wattsPerSquareMetre: Double

    /// Makes a value.
    public init(_ wattsPerSquareMetre: Double) {
        self.wattsPerSquareMetre = wattsPerSquareMetre
    }

    private static let table = ValueTable<Irradiance>(
        0x2A77, empty: Irradiance(0),
        [
            .number("Irradiance", \.wattsPerSquareMetre)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The light on an area.
public struct Illuminance: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AFB

    /// The illuminance in lux; nil if unknown.
    public var lux: Double?

    /// Makes a value.
    public init(_ lux: Double?) {
        self.lux = lux
    }

    private static let table = ValueTable<Illuminance>(
        0x2AFB, empty: Illuminance(nil),
        [
            .optional("Illuminance", \.lux)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// Carbon dioxide in the air.
public struct CarbonDioxideConcentration: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2B8C

    /// The concentration in ppm; nil if unknown.
    public var partsPerMillion: Double?

    /// Makes a value.
    public init(_ partsPerMillion: Double?) {
        self.partsPerMillion = partsPerMillion
    }

    private static let table = ValueTable<CarbonDioxideConcentration>(
        0x2B8C, empty: CarbonDioxideConcentration(nil),
        [
            .optional("CO2 Concentration", \.partsPerMillion)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
