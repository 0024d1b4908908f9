/// ThermoPro thermometers. The company identifier of their data is a part of the values.
///
/// Room thermometers have a name that begins with `TP35` or `TP39`, meat probes one with `TP96` or `TP97`.
/// Source: published decoders and known payloads, not the vendor's document.
public struct ThermoPro: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.thermoPro

    /// Temperature in °C; nil if the device has none at the moment. For a probe, that of the surroundings.
    public var temperature: Double?
    /// Relative humidity in percent; nil for a probe, and if the device has none at the moment.
    public var humidity: Double?
    /// The temperature of the tip in °C. Probes only.
    public var probeTemperature: Double?
    /// The temperature in the middle of the probe in °C. Probes with three sensors only.
    public var middleTemperature: Double?
    /// The temperature at the end of the probe in °C. Probes with three sensors only.
    public var endTemperature: Double?
    /// Whether the probe has three sensors in the food, as a TP972.
    public var hasThreeSensors = false
    /// The battery's voltage. Probes only.
    public var voltage: Double?
    /// The battery: 0 is nearly empty, 1 is half full, 2 is full. Room thermometers only.
    public var batteryStep = 2
    /// The model, with which the advertised name begins.
    public var model = "TP357"
    /// The first byte: of unknown meaning, or the number of the probe from 0 on.
    public var header = 0xC2
    /// The last byte, of unknown meaning. Room thermometers only.
    public var trailer = 0x2C
    /// The other bits of the byte of the battery, of unknown meaning. Room thermometers only.
    public var status = 0
    /// Further bytes, of unknown meaning.
    public var undecoded: [UInt8] = []

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value of a room thermometer.
    public init(temperature: Double?, humidity: Double?, batteryStep: Int = 2, model: String = "TP357") {
        self.temperature = temperature
        self.humidity = humidity
        self.batteryStep = batteryStep
        self.model = model
    }

    /// Makes a value of a meat probe. Probes are counted from 0.
    public init(probe: Int, temperature: Double, surroundings: Double, voltage: Double, model: String = "TP960R") {
        probeTemperature = temperature
        self.temperature = surroundings
        self.voltage = voltage
        self.model = model
        header = probe
    }

    /// Makes a value of a meat probe with three sensors. Probes are counted from 0.
    public init(
        probe: Int, tip: Double, middle: Double, end: Double, surroundings: Double, voltage: Double,
        model: String = "TP972S"
    ) {
        self.init(probe: probe, temperature: tip, surroundings: surroundings, voltage: voltage, model: model)
        middleTemperature = middle
        endTemperature = end
        hasThreeSensors = true
    }

    // The offsets count from the company identifier.
    static let layout = Layout<ThermoPro>(
        "thermopro", length: 6,
        [
            .integer("header", \.header, .u8(0)),
            .number(\.temperature, .s16(1), .tenth, .temperature, .celsius),
            .number(\.humidity, .u8(3), .one, .humidity, .percent),
            .integer("batteryStep", \.batteryStep, .bits(4, from: 0, count: 2)),
            .integer("status", \.status, .bits(4, from: 2, count: 6)),
            .integer("trailer", \.trailer, .u8(5)),
        ])

    static let probeLayout = Layout<ThermoPro>(
        "thermopro", length: 7,
        [
            .integer("probe", \.header, .u8(0)),
            .number(\.probeTemperature, .u16(1), .one.plus(-30), .probeTemperature, .celsius),
            .number(\.voltage, .u16(3), .thousandth, .voltage, .volt),
            .number(\.temperature, .u16(5), .one.plus(-30), .temperature, .celsius),
        ])

    // The temperatures are 54 more than those in °F. The last six bytes are probably an address.
    static let longProbeLayout = Layout<ThermoPro>(
        "thermopro", length: 17,
        [
            .integer("probe", \.header, .u8(0)),
            .number(\.temperature, .u16(1), .times(5, over: 9).plus(-430), .temperature, .celsius),
            .number(\.voltage, .u16(3), .thousandth, .voltage, .volt),
            .curve(\.probeTemperature, .u32(5), .shiftedFahrenheit, .probeTemperature, .celsius, absent: 0),
            .curve(\.middleTemperature, .u32(9), .shiftedFahrenheit, .probeTemperature, .celsius, absent: 0),
            .curve(\.endTemperature, .u32(13), .shiftedFahrenheit, .probeTemperature, .celsius, absent: 0),
        ])

    /// The number of bytes from the company identifier on.
    private static let longProbeCount = 23

    private static func isProbe(_ name: String) -> Bool { name.hasPrefix("TP96") || name.hasPrefix("TP97") }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        let count = section.bytes.count
        guard section.kind == .manufacturer, (4...21).contains(count), let name, name.hasPrefix("TP") else {
            return false
        }
        if count == longProbeCount - 2 { return name.hasPrefix("TP97") }
        if isProbe(name) { return count == 5 || count == 11 }
        return (4...8).contains(count) && (name.hasPrefix("TP35") || name.hasPrefix("TP39"))
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = WholeManufacturerData.join(section)
        let isLong = bytes.count == Self.longProbeCount
        let layout = Self.layout(isProbe: Self.isProbe(sender.name ?? ""), hasThreeSensors: isLong)
        let length = layout.length.upperBound
        self = try layout.decode(bytes.count > length ? Array(bytes.prefix(length)) : bytes, of: section.bytes)
        undecoded = Array(bytes.dropFirst(length))
        hasThreeSensors = isLong && Self.isProbe(sender.name ?? "")
        // Only the three bytes together mean that there are no values: −0.1 °C is a temperature.
        if temperature == -0.1, humidity == 255 { (temperature, humidity) = (nil, nil) }
        if let name = sender.name { model = String(name.prefix { $0 != " " }) }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        var value = self
        let layout = Self.layout(isProbe: Self.isProbe(model), hasThreeSensors: hasThreeSensors)
        if !Self.isProbe(model), temperature == nil, humidity == nil {
            (value.temperature, value.humidity) = (-0.1, 255)
        }
        if hasThreeSensors {
            let missing = Self.longProbeCount - layout.length.upperBound - undecoded.count
            guard missing >= 0 else { throw ValueEncodingError("thermopro", field: "undecoded", .tooLong) }
            value.undecoded += [UInt8](repeating: 0, count: missing)
        }
        return WholeManufacturerData.split(try layout.encode(value) + value.undecoded)
    }

    private static func layout(isProbe: Bool, hasThreeSensors: Bool) -> Layout<ThermoPro> {
        guard isProbe else { return layout }
        return hasThreeSensors ? longProbeLayout : probeLayout
    }

    /// The local name with which the device must advertise.
    public var requiredName: String? { model }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .thermoPro, model: model)
        if Self.isProbe(model) {
            Self.layout(isProbe: true, hasThreeSensors: hasThreeSensors).add(self, to: &reading)
            reading.identifiers = [SensorIdentifier(.device, .number(UInt64(max(0, header))))]
            return reading
        }
        Self.layout.add(self, to: &reading)
        let levels: [Double?] = [1, 50, 100, nil]
        reading.add(.batteryLevel, levels[batteryStep & 3], .percent)
        return reading
    }
}
