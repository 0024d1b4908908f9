/// A temperature.
public struct Temperature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A6E

    /// The temperature in °C; nil if unknown.
    public var celsius: Double?

    /// Makes a value.
    public init(_ celsius: Double?) {
        self.celsius = celsius
    }

    private static let table = ValueTable<Temperature>(
        0x2A6E, empty: Temperature(nil),
        [
            .optional("Temperature", \.celsius)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// Relative humidity.
public struct Humidity: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A6F

    /// The humidity in percent; nil if unknown.
    public var percent: Double?

    /// Makes a value.
    public init(_ percent: Double?) {
        self.percent = percent
    }

    private static let table = ValueTable<Humidity>(
        0x2A6F, empty: Humidity(nil),
        [
            .optional("Humidity", \.percent)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// Air pressure.
public struct Pressure: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A6D

    /// The pressure in Pa.
    public var pascal: Double

    /// Makes a value.
    public init(_ pascal: Double) {
        self.pascal = pascal
    }

    private static let table = ValueTable<Pressure>(
        0x2A6D, empty: Pressure(0),
        [
            .number("Pressure", \.pascal)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The height above sea level.
public struct Elevation: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A6C

    /// The height in metres.
    public var metres: Double

    /// Makes a value.
    public init(_ metres: Double) {
        self.metres = metres
    }

    private static let table = ValueTable<Elevation>(
        0x2A6C, empty: Elevation(0),
        [
            .number("Elevation", \.metres)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The ultraviolet index.
public struct UVIndex: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A76

    /// The index.
    public var index: Int

    /// Makes a value.
    public init(_ index: Int) {
        self.index = index
    }

    private static let table = ValueTable<UVIndex>(
        0x2A76, empty: UVIndex(0),
        [
            .integer("UV Index", \.index)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The temperature at which water condenses.
public struct DewPoint: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A7B

    /// The temperature in °C.
    public var celsius: Double

    /// Makes a value.
    public init(_ celsius: Double) {
        self.celsius = celsius
    }

    private static let table = ValueTable<DewPoint>(
        0x2A7B, empty: DewPoint(0),
        [
            .number("Dew Point", \.celsius)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// How warm it feels, from temperature and humidity.
public struct HeatIndex: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A7A

    /// The temperature in °C.
    public var celsius: Double

    /// Makes a value.
    public init(_ celsius: Double) {
        self.celsius = celsius
    }

    private static let table = ValueTable<HeatIndex>(
        0x2A7A, empty: HeatIndex(0),
        [
            .number("Heat Index", \.celsius)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
