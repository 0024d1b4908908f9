/// Xiaomi body scales: version 1 (weight) and version 2 (weight and impedance).
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct MiScale: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.miScale
    /// The Weight Scale service, of version 1.
    public static let service1: UInt16 = 0x181D
    /// The Body Composition service, of version 2.
    public static let service2: UInt16 = 0x181B

    /// The unit that the scale shows.
    public enum Unit: Hashable, Sendable, CaseIterable {
        /// Kilograms.
        case kilogram
        /// Pounds.
        case pound
        /// Jin, 500 g.
        case jin
    }

    /// The version of the scale: 1 or 2.
    public var version = 2
    /// The unit that the scale shows.
    public var unit = Unit.kilogram
    /// The weight as sent: steps of 0.005 kg, 0.01 lb or 0.01 jin.
    public var steps = 0
    /// The impedance of the body in ohm; nil if it was not measured. Version 2.
    public var impedance: Int?
    /// Whether the weight is stable.
    public var isStable = false
    /// Whether the load was removed.
    public var isRemoved = false
    /// The date and time of the scale's clock.
    public var time = ClockTime()

    // Bits of the control bytes, which depend on the version.
    var control = 0
    var rawImpedance = 0

    /// Makes a value of version 2 with a weight of 0.
    public init() {}

    /// Makes a value.
    public init(
        weight: Double, unit: Unit = .kilogram, impedance: Int? = nil, version: Int = 2, isStable: Bool = true,
        time: ClockTime = ClockTime()
    ) {
        self.version = version
        self.unit = unit
        self.impedance = impedance
        self.isStable = isStable
        self.time = time
        self.weight = weight
    }

    /// The weight in ``unit``. Setting rounds to the scale's steps, and limits to their range.
    public var weight: Double {
        get { Double(steps) / (unit == .kilogram ? 200 : 100) }
        set {
            let rounded = (newValue * (unit == .kilogram ? 200 : 100)).rounded()
            steps = rounded.isNaN ? 0 : Int(max(0, min(65535, rounded)))
        }
    }

    private static func clock(_ offset: Int) -> [Field<MiScale>] {
        [
            .integer("year", \.time.year, .u16(offset)), .integer("month", \.time.month, .u8(offset + 2)),
            .integer("day", \.time.day, .u8(offset + 3)), .integer("hour", \.time.hour, .u8(offset + 4)),
            .integer("minute", \.time.minute, .u8(offset + 5)), .integer("second", \.time.second, .u8(offset + 6)),
        ]
    }

    static let layout1 = Layout<MiScale>(
        "miscale", length: 10,
        [.integer("control", \.control, .u8(0)), .integer("weight", \.steps, .u16(1))] + clock(3))

    static let layout2 = Layout<MiScale>(
        "miscale", length: 13,
        [.integer("control", \.control, .u16(0))] + clock(2)
            + [.integer("impedance", \.rawImpedance, .u16(9)), .integer("weight", \.steps, .u16(11))])

    // Table: the bits of the control bytes in versions 1 and 2.
    private struct Bits {
        let pound = 0x01
        let jin: Int
        let impedance: Int
        let stable: Int
        let removed: Int
        static let version1 = Bits(jin: 0x10, impedance: 0, stable: 0x20, removed: 0x80)
        static let version2 = Bits(jin: 0x4000, impedance: 0x0200, stable: 0x2000, removed: 0x8000)
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        guard section.kind == .service else { return false }
        return section.identifier == service1 && section.bytes.count == 10
            || section.identifier == service2 && section.bytes.count == 13
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let isFirst = section.identifier == Self.service1
        self = try (isFirst ? Self.layout1 : Self.layout2).decode(section.bytes)
        version = isFirst ? 1 : 2
        let bits = isFirst ? Bits.version1 : Bits.version2
        guard control & bits.pound == 0 || control & bits.jin == 0 else {
            throw ValueDecodingError("miscale", .contradiction("two units are set"), bytes: section.bytes)
        }
        unit = control & bits.pound != 0 ? .pound : control & bits.jin != 0 ? .jin : .kilogram
        isStable = control & bits.stable != 0
        isRemoved = control & bits.removed != 0
        impedance = control & bits.impedance != 0 ? rawImpedance : nil
        control = 0
        rawImpedance = 0
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard version == 1 || version == 2 else { throw ValueEncodingError("miscale", field: "version", .outOfRange) }
        guard version == 2 || impedance == nil else {
            throw ValueEncodingError("miscale", field: "impedance", .contradiction)
        }
        let bits = version == 1 ? Bits.version1 : Bits.version2
        var value = self
        value.control = unit == .pound ? bits.pound : unit == .jin ? bits.jin : 2
        if isStable { value.control |= bits.stable }
        if isRemoved { value.control |= bits.removed }
        if impedance != nil { value.control |= bits.impedance }
        value.rawImpedance = impedance ?? 0
        return version == 1
            ? .service(Self.service1, try Self.layout1.encode(value))
            : .service(Self.service2, try Self.layout2.encode(value))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .miScale, model: version == 1 ? "Mi Scale" : "Mi Body Composition Scale")
        let units: [Unit: MeasurementUnit] = [.kilogram: .kilogram, .pound: .pound, .jin: .jin]
        reading.add(.mass, weight, units[unit] ?? .kilogram)
        reading.add(.impedance, impedance.map(Double.init), .ohm)
        reading.states = [SensorState(.stable, isStable), SensorState(.loadRemoved, isRemoved)]
        reading.timestamp = time.secondsSince1970
        return reading
    }
}
