/// Oral-B toothbrushes. Source: published decoders and known payloads, not the vendor's document.
public struct OralB: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.oralB
    /// The company identifier of Procter & Gamble.
    public static let company: UInt16 = 0x00DC

    /// What the brush does.
    public enum State: Int, Hashable, Sendable, CaseIterable {
        /// Unknown.
        case unknown = 0
        /// Starting.
        case initializing = 1
        /// Idle.
        case idle = 2
        /// Brushing.
        case running = 3
        /// Charging.
        case charging = 4
        /// The user sets it up.
        case setup = 5
        /// A flight menu.
        case flightMenu = 6
        /// A menu to select the mode.
        case selectionMenu = 8
        /// Off.
        case off = 9
        /// It shows the result of brushing.
        case summary = 10
        /// The last test of the factory.
        case finalTest = 113
        /// A test of the electronics.
        case boardTest = 114
        /// Sleeping.
        case sleeping = 115
        /// Locked for transport.
        case transport = 116
    }

    /// The version of the protocol.
    public var protocolVersion = 3
    /// The number of the model.
    public var modelNumber = 0
    /// The version of the firmware.
    public var firmware = 0
    /// The number of the state; see ``state``.
    public var stateNumber = 0
    /// The bits of pressure and buttons.
    public var pressure = 0
    /// Minutes of brushing; see ``duration``.
    public var minutes = 0
    /// Seconds of brushing; see ``duration``.
    public var seconds = 0
    /// The number of the brushing mode.
    public var mode = 0
    /// The number of the sector.
    public var sector = 0
    /// The timer of the sector; nil in short payloads.
    public var sectorTimer: Int?
    /// The number of sectors; nil in short payloads.
    public var sectorCount: Int?

    /// Makes a value.
    public init() {}

    /// What the brush does; nil for an undocumented state.
    public var state: State? { State(rawValue: stateNumber) }
    /// The time of brushing. Times that do not fit into 64 bits are limited to the largest one.
    public var duration: Duration {
        let (product, isTooLong) = minutes.multipliedReportingOverflow(by: 60)
        let (sum, overflows) = product.addingReportingOverflow(seconds)
        return .seconds(isTooLong || overflows ? ((isTooLong ? minutes : seconds) < 0 ? .min : .max) : sum)
    }

    static let layout = Layout<OralB>(
        "oralb", lengths: 9...11,
        [
            .integer("protocol", \.protocolVersion, .u8(0)),
            .integer("model", \.modelNumber, .u8(1)),
            .integer("firmware", \.firmware, .u8(2)),
            .integer("state", \.stateNumber, .u8(3)),
            .integer("pressure", \.pressure, .u8(4)),
            .integer("minutes", \.minutes, .u8(5)),
            .integer("seconds", \.seconds, .u8(6)),
            .integer("mode", \.mode, .u8(7), quantity: .mode),
            .integer("sector", \.sector, .u8(8)),
            .integer("sectorTimer", \.sectorTimer, .u8(9), absent: -1),
            .integer("sectorCount", \.sectorCount, .u8(10), absent: -1),
        ])

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company && [9, 11].contains(section.bytes.count)
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        // The layout has the lengths between.
        guard section.bytes.count != 10 else {
            throw ValueDecodingError("oralb", .tooShort(needed: 11), bytes: section.bytes)
        }
        self = try Self.layout.decode(section.bytes)
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard (sectorTimer == nil) == (sectorCount == nil) else {
            throw ValueEncodingError("oralb", field: "sectorTimer", .contradiction)
        }
        var value = self
        value.sectorTimer = sectorTimer ?? 0
        value.sectorCount = sectorCount ?? 0
        let bytes = try Self.layout.encode(value)
        return .manufacturer(Self.company, sectorTimer == nil ? Array(bytes.prefix(9)) : bytes)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .oralB, model: "Oral-B")
        reading.add(.duration, Double(minutes) * 60 + Double(seconds), .second)
        Self.layout.add(self, to: &reading)
        reading.states = [
            SensorState(.running, state == .running), SensorState(.batteryCharging, state == .charging),
            SensorState(.problem, pressure & 0x80 != 0), SensorState(.button, pressure & 0x0C != 0),
        ]
        return reading
    }
}
