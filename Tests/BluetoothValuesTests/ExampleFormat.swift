@testable import BluetoothValues

/// A cellar sensor with the company identifier 0x1234.
struct CellarSensor: AdvertisementFormat, TableFormat {
    static let format = SensorFormat.environmentalSensing
    static let company: UInt16 = 0x1234

    /// Temperature in °C.
    var temperature: Double?
    /// Water in the wall in percent.
    var moisture: Double?

    static let layout = Layout<CellarSensor>(
        "cellar", length: 4, constants: [.init(offset: 0, value: 0x01)],
        [
            .number(\.temperature, .s16(1), .hundredth, .temperature, .celsius, absent: -0x8000),
            .number(\.moisture, .u8(3), .over(2), .moisture, .percent, absent: 0xFF),
        ])

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company && layout.matches(section.bytes)
    }

    init() {}

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        self = try Self.layout.decode(section.bytes)
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(Self.company, try Self.layout.encode(self))
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format, model: "Cellar sensor")
        Self.layout.add(self, to: &reading)
        return reading
    }
}
