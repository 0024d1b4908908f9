/// Inkbird thermometers. The company identifier of their data is a part of the values.
///
/// They are recognised by their names: `sps` and `tps` are IBS-TH and IBS-TH2, `iBBQ` and `xBBQ` have up to six probes.
/// Source: published decoders and known payloads, not the vendor's document.
public struct Inkbird: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.inkbird

    /// The layout of the payload, named by a typical model.
    public enum Family: Hashable, Sendable, CaseIterable {
        /// IBS-TH, IBS-TH2 and IBS-P01B.
        case ibsTH
        /// IBS-P02B, ITH-11-B, ITH-13-B and ITH-21-B.
        case ith
        /// iBBQ, only probes.
        case bbq
    }

    /// The layout of the payload.
    public var family = Family.ibsTH
    /// Temperature in °C; nil for iBBQ.
    public var temperature: Double?
    /// Relative humidity in percent; nil for a device without such a sensor.
    public var humidity: Double?
    /// The number of the probe: 0 is in the device, 1 at its cable. IBS-TH only.
    public var probe = 0
    /// The charge of the battery in percent; nil for iBBQ.
    public var battery: Double?
    /// The temperatures of the probes in °C: 1, 2, 4 or 6, nil if a probe is not connected. iBBQ only.
    public var probes: [Double?] = []
    /// The advertised name, in lower case.
    public var name = "sps"
    /// The last bytes, of unknown meaning.
    public var trailer = 8
    /// Bytes of unknown meaning.
    public var check = 0
    /// The first ten bytes, of unknown meaning. iBBQ only.
    public var header: [UInt8] = []

    /// Whether the device is an IBS-TH2 or IBS-P01B, which advertises as `tps`.
    public var isSecondGeneration: Bool {
        get { name == "tps" }
        set { name = newValue ? "tps" : "sps" }
    }

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value of an IBS-TH.
    public init(temperature: Double, humidity: Double, battery: Double, probe: Int = 0) {
        self.temperature = temperature
        self.humidity = humidity
        self.battery = battery
        self.probe = probe
    }

    /// Makes a value of an iBBQ with 1, 2, 4 or 6 probes.
    public init(probes: [Double?]) {
        family = .bbq
        self.probes = probes
        name = "ibbq"
        header = [UInt8](repeating: 0, count: 10)
    }

    // The offsets count from the company identifier.
    static let layout = Layout<Inkbird>(
        "inkbird", length: 9,
        [
            .number(\.temperature, .s16(0), .hundredth, .temperature, .celsius),
            .number(\.humidity, .u16(2), .hundredth, .humidity, .percent, absent: 0xFFFF),
            .integer("probe", \.probe, .u8(4)),
            .integer("check", \.check, .u16(5)),
            .number(\.battery, .u8(7), .one, .batteryLevel, .percent),
            .integer("trailer", \.trailer, .u8(8)),
        ])

    static let ithLayout = Layout<Inkbird>(
        "inkbird", length: 18,
        [
            .integer("check", \.check, .u48(0)),
            .number(\.temperature, .s16(6), .tenth, .temperature, .celsius),
            .number(\.humidity, .u16(8), .tenth, .humidity, .percent, absent: 0),
            .number(\.battery, .u8(10), .one, .batteryLevel, .percent),
            .integer("trailer", \.trailer, Cell(offset: 11, byteCount: 7, bits: 56)),
        ])

    private static let probeCell = Cell.s16(0)

    private static func family(_ count: Int, _ name: String) -> Family? {
        switch count {
        case 9: if name == "sps" || name == "tps" { return .ibsTH }
        case 18: if ["ibs-p02b", "ith-11-b", "ith-13-b", "ith-21-b"].contains(name.lowercased()) { return .ith }
        case 12, 14, 22: break
        default: return nil
        }
        return count != 9 && (name.hasSuffix("BBQ") || name.hasSuffix("bbq")) ? .bbq : nil
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        guard section.kind == .manufacturer, let name else { return false }
        return family(section.bytes.count + 2, name) != nil
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = WholeManufacturerData.join(section)
        let name = sender.name ?? "sps"
        switch Self.family(bytes.count, name) {
        case .bbq:
            header = Array(bytes.prefix(10))
            for offset in stride(from: 10, to: bytes.count, by: 2) {
                let number = Self.probeCell.read(bytes, start: offset) ?? -1
                probes.append(number == -1 ? nil : Scale.tenth.value(number))
            }
            family = .bbq
        case .ith:
            self = try Self.ithLayout.decode(bytes, of: section.bytes)
            family = .ith
        case .ibsTH, nil: self = try Self.layout.decode(bytes, of: section.bytes)
        }
        self.name = name.lowercased()
        if isSecondGeneration, humidity == 0 { humidity = nil }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        switch family {
        case .ibsTH: return WholeManufacturerData.split(try Self.layout.encode(self))
        case .ith: return WholeManufacturerData.split(try Self.ithLayout.encode(self))
        case .bbq: break
        }
        guard [1, 2, 4, 6].contains(probes.count) else {
            throw ValueEncodingError("inkbird", field: "probes", .outOfRange)
        }
        guard header.count == 10 else { throw ValueEncodingError("inkbird", field: "header", .outOfRange) }
        var bytes = header
        for probe in probes {
            var cell: [UInt8] = [0, 0]
            let number = probe.map { Scale.tenth.integer($0) } ?? -1
            guard let number, probe == nil || number != -1, Self.probeCell.write(number, to: &cell) else {
                throw ValueEncodingError("inkbird", field: "probes", .outOfRange)
            }
            bytes += cell
        }
        return WholeManufacturerData.split(bytes)
    }

    /// The local name with which the device must advertise.
    public var requiredName: String? { family == .bbq ? name.replacing("bbq", with: "BBQ") : name }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        switch family {
        case .ibsTH:
            var reading = SensorReading(format: .inkbird, model: isSecondGeneration ? "IBS-TH2" : "IBS-TH")
            Self.layout.add(self, to: &reading)
            reading.identifiers = [SensorIdentifier(.device, probe == 0 ? "internal" : "external")]
            return reading
        case .ith:
            var reading = SensorReading(format: .inkbird, model: name.uppercased())
            Self.ithLayout.add(self, to: &reading)
            return reading
        case .bbq:
            var reading = SensorReading(format: .inkbird, model: "iBBQ")
            for (index, probe) in probes.enumerated() {
                guard let probe else { continue }
                reading.measurements.append(.init(.probeTemperature, probe, .celsius, index: index))
            }
            return reading
        }
    }
}

/// Manufacturer data of devices that use the company identifier for their own data.
enum WholeManufacturerData {
    static func join(_ section: AdvertisedSection) -> [UInt8] {
        let company = section.identifier
        return [UInt8(truncatingIfNeeded: company), UInt8(truncatingIfNeeded: company >> 8)] + section.bytes
    }

    static func split(_ bytes: [UInt8]) -> AdvertisedSection {
        .manufacturer(UInt16(bytes[0]) | UInt16(bytes[1]) << 8, Array(bytes.dropFirst(2)))
    }
}
