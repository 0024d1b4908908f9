public import BluetoothValues

/// What a simulated sensor advertises: values of one format, which may change over time.
///
/// The simulation encodes each value as a device of the format does, and encrypts it if there is a key.
///
///     SimulatedPeripheral("Greenhouse", address: "C0:FF:EE:00:00:07") {
///         SimulatedAdvertisement(
///             .ruuvi(temperature: .sweep(from: 18, to: 24, period: .seconds(600)), humidity: 60),
///             every: .seconds(1), rssi: -70)
///     }
///
/// Time advances while an adapter scans. A sensor that changes takes a sample in each ``interval``. Each sample has the
/// next packet number, if the format has one.
public struct SimulatedSensor: Sendable {
    /// The format of the advertised values.
    public let format: SensorFormat
    /// The time between two samples.
    public let interval: Duration
    /// The key of the device; nil if it does not encrypt.
    let key: DeviceKey?
    private let source: Source
    private let buttons: [SensorEvent.ButtonPress?]
    private let color: Tilt.Color?
    /// Whether the payload changes over time. Stored, because finding it out takes as long as the list of values.
    let isChanging: Bool

    private enum Source: Sendable {
        /// Measurements of which each sample makes a value.
        case measurements([(quantity: Quantity, value: SimulatedValue)], states: [SensorState])
        /// Values that are sent in turn, as they are.
        case values([any AdvertisementFormat])
    }

    /// Makes a sensor from measured values. Throws if the format cannot represent one of them.
    ///
    /// - Parameters:
    ///   - format: The format; it must be one that consists of measurements.
    ///   - values: The value of each quantity, in the unit of the format.
    ///   - states: States that are on or off. Only BTHome has them.
    ///   - buttons: How a button is pressed in each sample, in turn; nil is not pressed. Only BTHome has one.
    ///   - color: The colour of a Tilt; nil for red.
    ///   - interval: The time between two samples. A time of 0 or less counts as 1 ms.
    ///   - key: The key of the device. BTHome, MiBeacon, ATC1441 and pvvx are encrypted if there is one; Victron needs
    ///     one.
    public init(
        _ format: SensorFormat, measuring values: [(quantity: Quantity, value: SimulatedValue)],
        states: [SensorState] = [], buttons: [SensorEvent.ButtonPress?] = [], color: Tilt.Color? = nil,
        every interval: Duration = .seconds(1), key: DeviceKey? = nil
    ) throws(ValueEncodingError) {
        self.format = format
        self.buttons = buttons
        self.color = color
        self.interval = max(.milliseconds(1), interval)
        self.key = key
        source = .measurements(values, states: states)
        isChanging = !buttons.isEmpty || values.contains { $0.value.isChanging }
        let known = Set(format.quantities)
        for entry in values where !known.contains(entry.quantity) {
            throw ValueEncodingError(format.rawValue, field: entry.quantity.rawValue, .contradiction)
        }
        if let state = states.first, format != .bthome {
            throw ValueEncodingError(format.rawValue, field: state.kind.rawValue, .contradiction)
        }
        guard buttons.isEmpty || format == .bthome else {
            throw ValueEncodingError(format.rawValue, field: "button", .contradiction)
        }
        guard color == nil || format == .tilt else {
            throw ValueEncodingError(format.rawValue, field: "color", .contradiction)
        }
        if key != nil, !format.isEncryptable {
            throw ValueEncodingError(format.rawValue, field: "key", .contradiction)
        }
        // Each quantity is encoded with each of its limits.
        for index in values.indices {
            for limit in values[index].value.limits {
                var numbers = values.map { ($0.quantity, $0.value.limits[0]) }
                numbers[index].1 = limit
                _ = try section(try make(numbers, states, sample: 0, address: Self.example), Self.example)
            }
        }
        if values.isEmpty { _ = try section(try make([], states, sample: 0, address: Self.example), Self.example) }
    }

    /// Makes a sensor that sends values in turn, each for one interval.
    ///
    /// Throws if a value cannot be represented.
    ///
    /// The values must have the same format. They are sent as they are, with their packet numbers.
    public init(
        _ values: [any AdvertisementFormat], every interval: Duration = .seconds(1), key: DeviceKey? = nil
    ) throws(ValueEncodingError) {
        guard let first = values.first else { throw ValueEncodingError("sensor", field: "values", .missing) }
        format = type(of: first).format
        self.interval = max(.milliseconds(1), interval)
        self.key = key
        buttons = []
        color = nil
        source = .values(values)
        isChanging = values.count > 1
        for value in values {
            guard type(of: value).format == format else {
                throw ValueEncodingError(format.rawValue, field: "values", .contradiction)
            }
            _ = try section(value, Self.example)
        }
    }

    /// Makes a sensor that sends nothing, after a mistake in a test.
    init(withoutValuesOf format: SensorFormat) {
        self.format = format
        interval = .seconds(1)
        key = nil
        buttons = []
        color = nil
        source = .values([])
        isChanging = false
    }

    private static let example: SenderAddress = "C0:00:00:00:00:00"

    /// Returns the number of the sample at a time after the beginning.
    func sample(at time: Duration) -> Int { isChanging ? Int(min(time / interval, 1e15)) : 0 }

    /// Returns what the sensor sends in a sample, and the name by which its format is recognised.
    ///
    /// Returns nil for a sensor without values. Initialisation excludes values that the format cannot represent.
    func payload(_ sample: Int, address: SenderAddress) -> (section: AdvertisedSection, name: String?)? {
        let value: (any AdvertisementFormat)?
        switch source {
        case .values(let values): value = values.isEmpty ? nil : values[sample % values.count]
        case .measurements(let values, let states):
            let time = interval * sample
            value = try? make(
                values.map { ($0.quantity, $0.value.value(sample, at: time)) }, states, sample: sample, address: address
            )
        }
        guard let value, let section = try? section(value, address) else { return nil }
        return (section, value.requiredName)
    }

    /// Returns the data that a device with an address sends first, and the name by which its format is recognised.
    package func firstPayload(from address: SenderAddress) -> (section: AdvertisedSection, name: String?)? {
        payload(0, address: address)
    }

    private func section(
        _ value: any AdvertisementFormat, _ address: SenderAddress
    ) throws(ValueEncodingError) -> AdvertisedSection {
        try value.section(from: Sender(address: address, key: key))
    }

    private func make(
        _ numbers: [(Quantity, Double)], _ states: [SensorState], sample: Int, address: SenderAddress
    ) throws(ValueEncodingError) -> any AdvertisementFormat {
        let made = try format.value(measuring: numbers.map { SensorMeasurement($0.0, $0.1, .none) })
        guard var value = made else { throw ValueEncodingError(format.rawValue, field: "measurements", .contradiction) }
        if let color, var tilt = value as? Tilt {
            tilt.color = color
            value = tilt
        }
        if !states.isEmpty || !buttons.isEmpty, var home = value as? BTHome {
            if !buttons.isEmpty { home.objects.append(.button(buttons[sample % buttons.count])) }
            for state in states {
                guard let object = BTHome.Object.state(state.kind, state.isOn) else {
                    throw ValueEncodingError(format.rawValue, field: state.kind.rawValue, .contradiction)
                }
                home.objects.append(object)
            }
            home.objects.sort { $0.identifier < $1.identifier }
            value = home
        }
        return value.numbered(isChanging ? sample : nil, address: address, isEncrypted: key != nil)
    }
}

extension SensorFormat {
    /// Whether a simulated sensor of the format may have a key.
    fileprivate var isEncryptable: Bool {
        switch self {
        case .bthome, .miBeacon, .atc1441, .pvvx, .victron: true
        default: false
        }
    }
}
