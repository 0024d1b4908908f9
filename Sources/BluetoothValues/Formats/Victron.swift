/// Victron instant readout: encrypted records of battery monitors, chargers and inverters.
///
/// The encryption has no integrity check beyond one byte of the key.
/// Source: published decoders and known payloads, not the vendor's document.
public struct Victron: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.victron
    /// Victron's company identifier.
    public static let company: UInt16 = 0x02E1

    /// The number of the product.
    public var product: UInt16
    /// The type of the record, see ``supportedRecords``.
    public var record: UInt8
    /// The first two bytes of the payload.
    public var prefix: UInt16
    /// The initial value of the counter, which changes with the data.
    public var counter: UInt16
    /// The values of the record.
    public var measurements: [SensorMeasurement]

    /// Makes a value.
    public init(
        record: UInt8, measurements: [SensorMeasurement], product: UInt16 = 0, counter: UInt16 = 0,
        prefix: UInt16 = 0x10
    ) {
        self.record = record
        self.measurements = measurements
        self.product = product
        self.counter = counter
        self.prefix = prefix
    }

    /// The types of records that can be decoded.
    public static var supportedRecords: [UInt8] { records.keys.sorted() }

    private static let chargerState = RecordField(.mode, .run(0, 8), .one, absent: 0xFF)
    private static let chargerError = RecordField(.errorCode, .run(8, 8), .one, absent: 0xFF)

    // Battery monitors send 0x3FFFFF, and devices without a shunt 0x1FFFFF, if they measure no current.
    private static let shuntCurrent = RecordField(
        .current, .run(66, 22, signed: true), .thousandth, .ampere, absent: -1, orAbsent: 0x1F_FFFF)

    private static func auxiliary(_ mode: Cell, _ value: Int64) -> RecordField.Condition {
        .init(cell: mode, value: value)
    }

    // Table: records by type. The offsets count bits from the lowest bit of the first decrypted byte.
    static let records: [UInt8: Record] = [
        // Solar charger.
        0x01: Record(
            12,
            [
                chargerState, chargerError,
                RecordField(.voltage, .run(16, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.current, .run(32, 16, signed: true), .tenth, .ampere, absent: 0x7FFF),
                RecordField(.yieldToday, .run(48, 16), .times(10), .wattHour, absent: 0xFFFF),
                RecordField(.power, .run(64, 16), .one, .watt, absent: 0xFFFF),
                RecordField(.current, .run(80, 9), .tenth, .ampere, absent: 0x1FF),
            ]),
        // Battery monitor. The auxiliary input is one of three.
        0x02: Record(
            15,
            [
                RecordField(.timeRemaining, .run(0, 16), .one, .minute, absent: 0xFFFF),
                RecordField(.voltage, .run(16, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.errorCode, .run(32, 16)),
                RecordField(.mode, .run(64, 2)),
                RecordField(
                    .auxiliaryVoltage, .run(48, 16, signed: true), .hundredth, .volt, absent: 0x7FFF,
                    if: auxiliary(.run(64, 2), 0)),
                RecordField(
                    .midpointVoltage, .run(48, 16), .hundredth, .volt, absent: 0xFFFF, if: auxiliary(.run(64, 2), 1)),
                RecordField(
                    .temperature, .run(48, 16), .hundredth.plus(-27315), .celsius, absent: 0xFFFF,
                    if: auxiliary(.run(64, 2), 2)),
                shuntCurrent,
                RecordField(.consumedCharge, .run(88, 20), .times(-1, over: 10), .ampereHour, absent: 0xFFFFF),
                RecordField(.stateOfCharge, .run(108, 10), .tenth, .percent, absent: 0x3FF),
            ]),
        // Inverter.
        0x03: Record(
            11,
            [
                chargerState, RecordField(.errorCode, .run(8, 16)),
                RecordField(.voltage, .run(24, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.power, .run(40, 16), .one, .voltAmpere, absent: 0xFFFF),
                RecordField(.auxiliaryVoltage, .run(56, 15), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.current, .run(71, 11), .tenth, .ampere, absent: 0x7FF),
            ]),
        // DC/DC converter.
        0x04: Record(
            10,
            [
                chargerState, chargerError,
                RecordField(.auxiliaryVoltage, .run(16, 16), .hundredth, .volt, absent: 0xFFFF),
                RecordField(.voltage, .run(32, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.quality, .run(48, 32)),
            ]),
        // Smart lithium battery. The cell voltages are in steps of 0.01 V from 2.60 V.
        0x05: Record(
            16,
            [RecordField(.mode, .run(0, 32)), RecordField(.errorCode, .run(32, 16))]
                + (0..<8).map {
                    RecordField(.auxiliaryVoltage, .run(48 + $0 * 7, 7), .hundredth.plus(260), .volt, absent: 0x7F)
                } + [
                    RecordField(.voltage, .run(104, 12), .hundredth, .volt, absent: 0xFFF),
                    RecordField(.quality, .run(116, 4), absent: 0xF),
                    RecordField(.temperature, .run(120, 7), .one.plus(-40), .celsius, absent: 0x7F),
                ]),
        // AC charger with up to three outputs.
        0x08: Record(
            13,
            [
                chargerState, chargerError,
                RecordField(.voltage, .run(16, 13), .hundredth, .volt, absent: 0x1FFF),
                RecordField(.current, .run(29, 11), .tenth, .ampere, absent: 0x7FF),
                RecordField(.voltage, .run(40, 13), .hundredth, .volt, absent: 0x1FFF),
                RecordField(.current, .run(53, 11), .tenth, .ampere, absent: 0x7FF),
                RecordField(.voltage, .run(64, 13), .hundredth, .volt, absent: 0x1FFF),
                RecordField(.current, .run(77, 11), .tenth, .ampere, absent: 0x7FF),
                RecordField(.temperature, .run(88, 7), .one.plus(-40), .celsius, absent: 0x7F),
                RecordField(.current, .run(95, 9), .tenth, .ampere, absent: 0x1FF),
            ]),
        // Battery protection. The qualities are the reason of a warning and the reason for being off.
        0x09: Record(
            15,
            [
                chargerState, RecordField(.channel, .run(8, 8), .one, absent: 0xFF),
                RecordField(.errorCode, .run(16, 8), .one, absent: 0xFF), RecordField(.errorCode, .run(24, 16)),
                RecordField(.quality, .run(40, 16)),
                RecordField(.auxiliaryVoltage, .run(56, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.voltage, .run(72, 16), .hundredth, .volt, absent: 0xFFFF),
                RecordField(.quality, .run(88, 32)),
            ]),
        // Lynx smart BMS. The mode is the state of inputs and outputs.
        0x0A: Record(
            16,
            [
                RecordField(.errorCode, .run(0, 8)),
                RecordField(.timeRemaining, .run(8, 16), .one, .minute, absent: 0xFFFF),
                RecordField(.voltage, .run(24, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.current, .run(40, 16, signed: true), .tenth, .ampere, absent: 0x7FFF),
                RecordField(.mode, .run(56, 16)), RecordField(.errorCode, .run(72, 18)),
                RecordField(.stateOfCharge, .run(90, 10), .tenth, .percent, absent: 0x3FF),
                RecordField(.consumedCharge, .run(100, 20), .tenth, .ampereHour, absent: 0xFFFFF),
                RecordField(.temperature, .run(120, 7), .one.plus(-40), .celsius, absent: 0x7F),
            ]),
        // Multi RS. The powers are those of the input, the output and the solar panels.
        0x0B: Record(
            14,
            [
                chargerState, chargerError,
                RecordField(.current, .run(16, 16, signed: true), .tenth, .ampere, absent: 0x7FFF),
                RecordField(.voltage, .run(32, 14), .hundredth, .volt, absent: 0x3FFF),
                RecordField(.channel, .run(46, 2), absent: 3),
                RecordField(.power, .run(48, 16, signed: true), .one, .watt, absent: 0x7FFF),
                RecordField(.power, .run(64, 16, signed: true), .one, .watt, absent: 0x7FFF),
                RecordField(.power, .run(80, 16), .one, .watt, absent: 0xFFFF),
                RecordField(.yieldToday, .run(96, 16), .times(10), .wattHour, absent: 0xFFFF),
            ]),
        // VE.Bus inverter and charger.
        0x0C: Record(
            13,
            [
                chargerState, chargerError,
                RecordField(.current, .run(16, 16, signed: true), .tenth, .ampere, absent: 0x7FFF),
                RecordField(.voltage, .run(32, 14), .hundredth, .volt, absent: 0x3FFF),
                RecordField(.channel, .run(46, 2), absent: 3),
                RecordField(.power, .run(48, 19, signed: true), .one, .watt, absent: 0x3FFFF),
                RecordField(.power, .run(67, 19, signed: true), .one, .watt, absent: 0x3FFFF),
                RecordField(.quality, .run(86, 2), absent: 3),
                RecordField(.temperature, .run(88, 7), .one.plus(-40), .celsius, absent: 0x7F),
                RecordField(.stateOfCharge, .run(95, 7), .one, .percent, absent: 0x7F),
            ]),
        // DC energy meter. The channel is the kind of source or load, the mode that of the auxiliary input.
        0x0D: Record(
            11,
            [
                RecordField(.channel, .run(0, 16, signed: true)),
                RecordField(.voltage, .run(16, 16, signed: true), .hundredth, .volt, absent: 0x7FFF),
                RecordField(.errorCode, .run(32, 16)), RecordField(.mode, .run(64, 2)),
                RecordField(
                    .auxiliaryVoltage, .run(48, 16, signed: true), .hundredth, .volt, absent: 0x7FFF,
                    if: auxiliary(.run(64, 2), 0)),
                RecordField(
                    .temperature, .run(48, 16), .hundredth.plus(-27315), .celsius, absent: 0xFFFF,
                    if: auxiliary(.run(64, 2), 2)),
                shuntCurrent,
            ]),
        // Orion XS.
        0x0F: Record(
            14,
            [
                chargerState, chargerError,
                RecordField(.voltage, .run(16, 16), .hundredth, .volt, absent: 0xFFFF),
                RecordField(.current, .run(32, 16), .tenth, .ampere, absent: 0xFFFF),
                RecordField(.auxiliaryVoltage, .run(48, 16), .hundredth, .volt, absent: 0xFFFF),
                RecordField(.current, .run(64, 16), .tenth, .ampere, absent: 0xFFFF),
                RecordField(.quality, .run(80, 32)),
            ]),
    ]

    // Table: names of the types of records.
    private static let models: [UInt8: String] = [
        0x01: "Solar charger", 0x02: "Battery monitor", 0x03: "Inverter", 0x04: "DC/DC converter",
        0x05: "Smart lithium", 0x08: "AC charger", 0x09: "Battery protect", 0x0A: "Lynx smart BMS", 0x0B: "Multi RS",
        0x0C: "VE.Bus", 0x0D: "DC energy meter", 0x0F: "Orion XS",
    ]

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company && section.bytes.first == 0x10
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        func failure(_ reason: ValueDecodingError.Reason) -> ValueDecodingError {
            ValueDecodingError("victron", reason, bytes: bytes)
        }
        guard bytes.count > 8 else { throw failure(.tooShort(needed: 9)) }
        guard let record = Self.records[bytes[4]] else { throw failure(.reservedIdentifier(Int(bytes[4]))) }
        guard let key = sender.key else { throw failure(.missingKey) }
        guard let cipher = key.cipher else { throw failure(.unsuitableKey) }
        guard bytes[7] == key.bytes[0] else { throw failure(.wrongKey) }
        counter = UInt16(bytes[5]) | UInt16(bytes[6]) << 8
        var plain = CounterMode(cipher: cipher).apply(Array(bytes.dropFirst(8)), start: counter)
        guard plain.count <= 16 else { throw failure(.tooLong(allowed: 24)) }
        // Devices may omit the last byte of a record if it has no values.
        let missing = record.length - plain.count
        guard missing <= 1 else { throw failure(.tooShort(needed: record.length + 8)) }
        if missing == 1 { plain.append(0xFF) }
        guard let measurements = record.decode(plain) else { throw failure(.invalidValue(field: "record")) }
        self.measurements = measurements
        self.record = bytes[4]
        prefix = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        product = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard let layout = Self.records[record] else {
            throw ValueEncodingError("victron", field: "record", .outOfRange)
        }
        guard prefix & 0xFF == 0x10 else { throw ValueEncodingError("victron", field: "prefix", .outOfRange) }
        guard let key = sender.key else { throw ValueEncodingError("victron", field: "key", .missing) }
        guard let cipher = key.cipher else { throw ValueEncodingError("victron", field: "key", .unsuitableKey) }
        let plain = try layout.encode(measurements, subject: "victron")
        let header = [prefix, prefix >> 8, product, product >> 8, UInt16(record), counter, counter >> 8]
        return .manufacturer(
            Self.company,
            header.map { UInt8(truncatingIfNeeded: $0) } + [key.bytes[0]]
                + CounterMode(cipher: cipher).apply(plain, start: counter))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .victron, model: Self.models[record])
        reading.measurements = measurements
        reading.isEncrypted = true
        reading.identifiers = [SensorIdentifier(.product, .bytes([UInt8(product >> 8), UInt8(product & 0xFF)]))]
        return reading
    }
}
