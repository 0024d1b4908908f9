import BluetoothValues

/// A cellar sensor with the company identifier 0x1234.
struct CellarSensor: AdvertisementFormat {
    static let format = SensorFormat.custom("cellar")
    static let company: UInt16 = 0x1234

    /// Temperature in °C; nil if it is absent.
    var temperature: Double?
    /// Water in the wall in percent; nil if it is absent.
    var moisture: Double?

    init(temperature: Double? = nil, moisture: Double? = nil) {
        self.temperature = temperature
        self.moisture = moisture
    }

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company && section.bytes.first == 0x01
    }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 4 else { throw ValueDecodingError("cellar", .tooShort(needed: 4), bytes: bytes) }
        guard bytes.count == 4 else { throw ValueDecodingError("cellar", .tooLong(allowed: 4), bytes: bytes) }
        let hundredths = Int16(truncatingIfNeeded: Int(bytes[1]) | Int(bytes[2]) << 8)
        temperature = hundredths == .min ? nil : Double(hundredths) / 100
        moisture = bytes[3] == 0xFF ? nil : Double(bytes[3]) / 2
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        let hundredths = ((temperature ?? -327.68) * 100).rounded()
        let halves = ((moisture ?? 127.5) * 2).rounded()
        guard let hundredths = Int16(exactly: hundredths), let halves = UInt8(exactly: halves) else {
            throw ValueEncodingError("cellar", field: "value", .outOfRange)
        }
        let bits = UInt16(bitPattern: hundredths)
        return .manufacturer(Self.company, [0x01, UInt8(bits & 0xFF), UInt8(bits >> 8), halves])
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format, model: "Cellar sensor")
        if let temperature { reading.measurements.append(SensorMeasurement(.temperature, temperature, .celsius)) }
        if let moisture { reading.measurements.append(SensorMeasurement(.moisture, moisture, .percent)) }
        return reading
    }
}
