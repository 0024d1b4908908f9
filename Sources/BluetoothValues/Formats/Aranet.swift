/// Aranet4, Aranet2, Aranet Radiation and Aranet Radon.
///
/// They advertise values if smart home integration is on.
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct Aranet: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.aranet
    /// SAF Tehnika's company identifier.
    public static let company: UInt16 = 0x0702

    /// The kind of sensor.
    public enum Model: String, Hashable, Sendable, CaseIterable {
        /// Carbon dioxide, temperature, humidity and pressure.
        case aranet4 = "Aranet4"
        /// Temperature and humidity.
        case aranet2 = "Aranet2"
        /// Dose and dose rate of ionising radiation.
        case radiation = "Aranet Radiation"
        /// Radon, temperature, humidity and pressure.
        case radon = "Aranet Radon"
    }

    /// The kind of sensor.
    public var model = Model.aranet4
    /// The bits of the first byte: integration, disconnected, calibration.
    public var flags = 0x20
    /// The version of the firmware: patch, minor and major.
    public var firmware = 0
    /// Carbon dioxide in ppm. Aranet4.
    public var carbonDioxide: Double?
    /// Temperature in °C.
    public var temperature: Double?
    /// Air pressure in hPa. Aranet4 and Radon.
    public var pressure: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// Radon in Bq/m³. Aranet Radon.
    public var radon: Double?
    /// The dose in µSv since the last reset. Aranet Radiation.
    public var dose: Double?
    /// The dose rate in µSv/h. Aranet Radiation.
    public var doseRate: Double?
    /// The seconds in which the dose was measured. Aranet Radiation.
    public var doseDuration: Double?
    /// The charge of the battery in percent.
    public var battery: Double?
    /// The colour or status of the display.
    public var status = 0
    /// Seconds between measurements.
    public var interval = 0
    /// Seconds since the last measurement.
    public var age = 0
    /// The number of the packet, modulo 256.
    public var counter = 0
    /// The byte after the firmware and hardware versions.
    public var hardware = 0

    /// Makes a value of an Aranet4 without measurements.
    public init() {}

    /// Makes a value of an Aranet4.
    public init(carbonDioxide: Double, temperature: Double, pressure: Double, humidity: Double, battery: Double) {
        self.carbonDioxide = carbonDioxide
        self.temperature = temperature
        self.pressure = pressure
        self.humidity = humidity
        self.battery = battery
    }

    static let layout4 = Layout<Aranet>(
        "aranet", length: 22,
        [
            .integer("flags", \.flags, .u8(0)),
            .integer("firmware", \.firmware, .u24(1)),
            .integer("hardware", \.hardware, .u32(4)),
            .number(
                \.carbonDioxide, .u16(8), .one, .carbonDioxide, .partsPerMillion, absent: 0xFFFF, range: 0...0x7FFF),
            .number(\.temperature, .u16(10), .over(20), .temperature, .celsius, absent: 0xFFFF, range: 0...0x3FFF),
            .number(\.pressure, .u16(12), .tenth, .pressure, .hectopascal, absent: 0xFFFF, range: 0...0x7FFF),
            .number(\.humidity, .u8(14), .one, .humidity, .percent, absent: 0xFF, range: 0...0x7F),
            .number(\.battery, .u8(15), .one, .batteryLevel, .percent),
            .integer("status", \.status, .u8(16)),
            .integer("interval", \.interval, .u16(17)),
            .integer("age", \.age, .u16(19)),
            .integer("counter", \.counter, .u8(21)),
        ])

    static let layout2 = Layout<Aranet>(
        "aranet", length: 24, constants: [.init(offset: 0, value: 0x01)],
        [
            .integer("flags", \.flags, .u8(1)),
            .integer("firmware", \.firmware, .u24(2)),
            .integer("hardware", \.hardware, Cell(offset: 5, byteCount: 5, bits: 40)),
            .number(\.temperature, .u16(10), .over(20), .temperature, .celsius, absent: 0xFFFF, range: 0...0x3FFF),
            .number(\.humidity, .u16(14), .tenth, .humidity, .percent, absent: 0xFFFF, range: 0...0x7FFF),
            .number(\.battery, .u8(17), .one, .batteryLevel, .percent),
            .integer("status", \.status, .u8(18)),
            .integer("interval", \.interval, .u16(19)),
            .integer("age", \.age, .u16(21)),
            .integer("counter", \.counter, .u8(23)),
        ])

    static let radiationLayout = Layout<Aranet>(
        "aranet", length: 24, constants: [.init(offset: 0, value: 0x02)],
        [
            .integer("flags", \.flags, .u8(1)),
            .integer("firmware", \.firmware, .u24(2)),
            .integer("hardware", \.hardware, .u8(5)),
            .number(\.dose, .u32(6), .thousandth, .radiationDose, .microsievert),
            .number(\.doseDuration, .u32(10), .one, .duration, .second),
            .number(\.doseRate, .u16(14), .thousandth, .radiationDoseRate, .microsievertPerHour),
            .number(\.battery, .u8(17), .one, .batteryLevel, .percent),
            .integer("status", \.status, .u8(18)),
            .integer("interval", \.interval, .u16(19)),
            .integer("age", \.age, .u16(21)),
            .integer("counter", \.counter, .u8(23)),
        ])

    static let radonLayout = Layout<Aranet>(
        "aranet", length: 24, constants: [.init(offset: 0, value: 0x03)],
        [
            .integer("flags", \.flags, .u8(1)),
            .integer("firmware", \.firmware, .u24(2)),
            .integer("hardware", \.hardware, .u24(5)),
            // Numbers from 1F00 on are faults of the sensor.
            .number(\.radon, .u16(8), .one, .radon, .becquerelPerCubicMetre, absent: 0xFFFF, range: 0...0x1EFF),
            .number(\.temperature, .u16(10), .over(20), .temperature, .celsius, absent: 0xFFFF, range: 0...0x3FFF),
            .number(\.pressure, .u16(12), .tenth, .pressure, .hectopascal, absent: 0xFFFF, range: 0...0x7FFF),
            .number(\.humidity, .u16(14), .tenth, .humidity, .percent, absent: 0xFFFF, range: 0...0x7FFF),
            .number(\.battery, .u8(17), .one, .batteryLevel, .percent),
            .integer("status", \.status, .u8(18)),
            .integer("interval", \.interval, .u16(19)),
            .integer("age", \.age, .u16(21)),
            .integer("counter", \.counter, .u8(23)),
        ])

    private static func layout(_ model: Model) -> Layout<Aranet> {
        switch model {
        case .aranet4: layout4
        case .aranet2: layout2
        case .radiation: radiationLayout
        case .radon: radonLayout
        }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        guard section.kind == .manufacturer, section.identifier == company else { return false }
        return section.bytes.count == 22 || section.bytes.count == 24 && (1...3).contains(section.bytes[0])
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        var model = Model.aranet4
        if section.bytes.count == 24 {
            switch section.bytes[0] {
            case 1: model = .aranet2
            case 2: model = .radiation
            case 3: model = .radon
            default: break
            }
        }
        self = try Self.layout(model).decode(section.bytes)
        self.model = model
        // A model without these sensors sends zeros.
        if model == .radon, temperature == 0, humidity == 0 { (temperature, humidity) = (nil, nil) }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(Self.company, try Self.layout(model).encode(self))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .aranet, model: model.rawValue)
        Self.layout(model).add(self, to: &reading)
        reading.packetCounter = UInt32(truncatingIfNeeded: counter)
        reading.states = [SensorState(.calibrating, flags & 0x04 != 0)]
        return reading
    }
}
