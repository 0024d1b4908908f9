/// What a RuuviTag or Ruuvi Air advertises: data formats 3, 5, 6 and E1.
///
/// Encoding sends the fields that the data format has. Formats 6 and E1 are from published decoders.
public struct RuuviTag: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.ruuvi
    /// Ruuvi's company identifier.
    public static let company: UInt16 = 0x0499

    /// Ruuvi's number of a data format.
    public enum Version: UInt8, Hashable, Sendable, CaseIterable {
        /// RAWv1 of RuuviTag.
        case v3 = 0x03
        /// RAWv2 of RuuviTag.
        case v5 = 0x05
        /// Ruuvi Air, short advertisement.
        case v6 = 0x06
        /// Ruuvi Air, extended advertisement.
        case e1 = 0xE1
    }

    /// The data format.
    public var version = Version.v5
    /// Temperature in °C; above 65,535 if the hundredths of data format 3 are none.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// Air pressure in hPa.
    public var pressure: Double?
    /// Acceleration along the x axis in units of standard gravity. Formats 3 and 5.
    public var accelerationX: Double?
    /// Acceleration along the y axis in units of standard gravity. Formats 3 and 5.
    public var accelerationY: Double?
    /// Acceleration along the z axis in units of standard gravity. Formats 3 and 5.
    public var accelerationZ: Double?
    /// Voltage of the battery. Formats 3 and 5.
    public var voltage: Double?
    /// Transmit power in dBm. Format 5.
    public var transmitPower: Double?
    /// A counter of movements, modulo 256. Format 5.
    public var movementCount: Double?
    /// Particles of at most 1 µm in µg/m³. Format E1.
    public var particles1: Double?
    /// Particles of at most 2.5 µm in µg/m³. Formats 6 and E1.
    public var particles2_5: Double?
    /// Particles of at most 4 µm in µg/m³. Format E1.
    public var particles4: Double?
    /// Particles of at most 10 µm in µg/m³. Format E1.
    public var particles10: Double?
    /// Carbon dioxide in ppm. Formats 6 and E1.
    public var carbonDioxide: Double?
    /// Index of volatile organic compounds. Formats 6 and E1.
    public var vocIndex: Double?
    /// Index of nitrogen oxides. Formats 6 and E1.
    public var noxIndex: Double?
    /// Illuminance in lux. Formats 6 and E1.
    public var illuminance: Double?
    /// Average sound pressure in dBA. Format 6.
    public var soundAverage: Double?
    /// Whether the device calibrates itself. Formats 6 and E1.
    public var isCalibrating = false
    /// The number of the measurement. Formats 5, 6 and E1.
    public var sequence: Int?
    /// The address of the device. In format 6, only its last three bytes. Formats 5, 6 and E1.
    public var address: SenderAddress?

    /// Makes a value of data format 5 without measurements.
    public init() {}

    /// Makes a value of data format 5.
    public init(
        temperature: Double? = nil, humidity: Double? = nil, pressure: Double? = nil, voltage: Double? = nil,
        sequence: Int? = nil
    ) {
        self.temperature = temperature
        self.humidity = humidity
        self.pressure = pressure
        self.voltage = voltage
        self.sequence = sequence
    }

    static let layout3 = Layout<RuuviTag>(
        "ruuvi", length: 14, constants: [.init(offset: 0, value: 0x03)],
        [
            .number(\.humidity, .u8(1), .over(2), .humidity, .percent),
            .curve(\.temperature, .u16(2).bigEndian, .signedHundredths, .temperature, .celsius, absent: 0xFFFF),
            .number(\.pressure, .u16(4).bigEndian, .hundredth.plus(50000), .pressure, .hectopascal),
            .number(\.accelerationX, .s16(6).bigEndian, .thousandth, .accelerationX, .standardGravity),
            .number(\.accelerationY, .s16(8).bigEndian, .thousandth, .accelerationY, .standardGravity),
            .number(\.accelerationZ, .s16(10).bigEndian, .thousandth, .accelerationZ, .standardGravity),
            .number(\.voltage, .u16(12).bigEndian, .thousandth, .voltage, .volt),
        ])

    static let layout5 = Layout<RuuviTag>(
        "ruuvi", length: 24, constants: [.init(offset: 0, value: 0x05)],
        [
            .number(\.temperature, .s16(1).bigEndian, .over(200), .temperature, .celsius, absent: -0x8000),
            .number(\.humidity, .u16(3).bigEndian, .over(400), .humidity, .percent, absent: 0xFFFF),
            .number(\.pressure, .u16(5).bigEndian, .hundredth.plus(50000), .pressure, .hectopascal, absent: 0xFFFF),
            .number(\.accelerationX, .s16(7).bigEndian, .thousandth, .accelerationX, .standardGravity, absent: -0x8000),
            .number(\.accelerationY, .s16(9).bigEndian, .thousandth, .accelerationY, .standardGravity, absent: -0x8000),
            .number(
                \.accelerationZ, .s16(11).bigEndian, .thousandth, .accelerationZ, .standardGravity, absent: -0x8000),
            .number(\.voltage, power(from: 5, count: 11), .thousandth.plus(1600), .voltage, .volt, absent: 0x7FF),
            .number(
                \.transmitPower, power(from: 0, count: 5), .times(2).plus(-40), .transmitPower, .decibelMilliwatt,
                absent: 0x1F),
            .number(\.movementCount, .u8(15), .one, .movementCount, .none, absent: 0xFF),
            .integer("sequence", \.sequence, .u16(16).bigEndian, absent: 0xFFFF),
            .address(\.address, .u48(18).bigEndian, absent: 0xFFFF_FFFF_FFFF),
        ])

    static let layout6 = Layout<RuuviTag>(
        "ruuvi", length: 20, constants: [.init(offset: 0, value: 0x06)],
        [
            .number(\.temperature, .s16(1).bigEndian, .over(200), .temperature, .celsius, absent: -0x8000),
            .number(\.humidity, .u16(3).bigEndian, .over(400), .humidity, .percent, absent: 0xFFFF),
            .number(\.pressure, .u16(5).bigEndian, .hundredth.plus(50000), .pressure, .hectopascal, absent: 0xFFFF),
            .number(
                \.particles2_5, .u16(7).bigEndian, .tenth, .particles2_5, .microgramPerCubicMetre, absent: 0xFFFF),
            .number(\.carbonDioxide, .u16(9).bigEndian, .one, .carbonDioxide, .partsPerMillion, absent: 0xFFFF),
            .number(\.vocIndex, .u8(11).withLowBit(16, 6), .one, .vocIndex, .none, absent: 0x1FF),
            .number(\.noxIndex, .u8(12).withLowBit(16, 7), .one, .noxIndex, .none, absent: 0x1FF),
            .curve(\.illuminance, .u8(13), .logarithmic, .illuminance, .lux, absent: 0xFF),
            .number(
                \.soundAverage, .u8(14).withLowBit(16, 4), .over(5).plus(90), .soundAverage, .decibelOfSound,
                absent: 0x1FF),
            .integer("sequence", \.sequence, .u8(15), absent: -1),
            .flag("calibrating", \.isCalibrating, 16, bit: 0),
            .address(\.address, Cell(offset: 17, byteCount: 3, bits: 24, isBigEndian: true)),
        ])

    static let layoutE1 = Layout<RuuviTag>(
        "ruuvi", length: 40, constants: [.init(offset: 0, value: 0xE1)],
        [
            .number(\.temperature, .s16(1).bigEndian, .over(200), .temperature, .celsius, absent: -0x8000),
            .number(\.humidity, .u16(3).bigEndian, .over(400), .humidity, .percent, absent: 0xFFFF),
            .number(\.pressure, .u16(5).bigEndian, .hundredth.plus(50000), .pressure, .hectopascal, absent: 0xFFFF),
            .number(\.particles1, .u16(7).bigEndian, .tenth, .particles1, .microgramPerCubicMetre, absent: 0xFFFF),
            .number(\.particles2_5, .u16(9).bigEndian, .tenth, .particles2_5, .microgramPerCubicMetre, absent: 0xFFFF),
            .number(\.particles4, .u16(11).bigEndian, .tenth, .particles4, .microgramPerCubicMetre, absent: 0xFFFF),
            .number(\.particles10, .u16(13).bigEndian, .tenth, .particles10, .microgramPerCubicMetre, absent: 0xFFFF),
            .number(\.carbonDioxide, .u16(15).bigEndian, .one, .carbonDioxide, .partsPerMillion, absent: 0xFFFF),
            .number(\.vocIndex, .u8(17).withLowBit(28, 6), .one, .vocIndex, .none, absent: 0x1FF),
            .number(\.noxIndex, .u8(18).withLowBit(28, 7), .one, .noxIndex, .none, absent: 0x1FF),
            .number(\.illuminance, .u24(19).bigEndian, .hundredth, .illuminance, .lux, absent: 0xFFFFFF),
            .integer("sequence", \.sequence, .u24(25).bigEndian, absent: 0xFFFFFF),
            .flag("calibrating", \.isCalibrating, 28, bit: 0),
            .address(\.address, .u48(34).bigEndian, absent: 0xFFFF_FFFF_FFFF),
        ])

    private static func power(from shift: Int, count: Int) -> Cell {
        .bits(13, bytes: 2, from: shift, count: count).bigEndian
    }

    static func layout(_ version: Version) -> Layout<RuuviTag> {
        switch version {
        case .v3: layout3
        case .v5: layout5
        case .v6: layout6
        case .e1: layoutE1
        }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        guard let first = section.bytes.first else {
            throw ValueDecodingError("ruuvi", .tooShort(needed: 14), bytes: section.bytes)
        }
        guard let version = Version(rawValue: first) else {
            throw ValueDecodingError("ruuvi", .unsupportedVersion(Int(first)), bytes: section.bytes)
        }
        self = try Self.layout(version).decode(section.bytes)
        self.version = version
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        var value = self
        if version == .v6 {
            // Format 6 has no values for absence here.
            value.sequence = sequence ?? 0
            value.address = SenderAddress((address ?? sender.address ?? SenderAddress(0)).number & 0xFF_FFFF)
        }
        return .manufacturer(Self.company, try Self.layout(version).encode(value))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        let isAir = version == .v6 || version == .e1
        var reading = SensorReading(format: .ruuvi, model: isAir ? "Ruuvi Air" : "RuuviTag")
        Self.layout(version).add(self, to: &reading)
        if isAir { reading.states.append(SensorState(.calibrating, isCalibrating)) }
        reading.packetCounter = sequence.map { UInt32(truncatingIfNeeded: $0) }
        guard let address else { return reading }
        if version == .v6 {
            // Format 6 has the last three bytes, which identify the device only together with its advertisements.
            reading.identifiers.append(SensorIdentifier(.device, .bytes(Array(address.bytes.suffix(3)))))
        } else {
            reading.identifiers.append(SensorIdentifier(.address, .address(address)))
        }
        return reading
    }
}
