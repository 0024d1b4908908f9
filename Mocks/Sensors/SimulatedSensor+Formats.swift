public import BluetoothValues

// Sensors from literals. A value that the format cannot represent is an issue of the test, at the caller's line,
// and the sensor sends nothing. Without a test, it traps.
extension SimulatedSensor {
    /// A sensor of any format that consists of measurements, in the units of the format.
    ///
    ///     .measuring(.govee, [.temperature: 21.5, .humidity: 40, .batteryLevel: 90])
    ///
    /// A value that the format cannot represent is an issue of the running test; without a test, it traps.
    public static func measuring(
        _ format: SensorFormat, _ values: KeyValuePairs<Quantity, SimulatedValue>,
        every interval: Duration = .seconds(1),
        key: DeviceKey? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> SimulatedSensor {
        make(format, values.map { ($0.key, $0.value) }, [], interval, key, file, line)
    }

    /// A sensor that sends values of one format in turn, as they are.
    ///
    /// A value that cannot be represented is an issue of the running test; without a test, it traps.
    ///
    ///     .values(IBeacon(uuid: "74278BDA-B644-4520-8F0C-720EAF059935", major: 1, minor: 7))
    public static func values(
        _ values: any AdvertisementFormat..., every interval: Duration = .seconds(1), key: DeviceKey? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> SimulatedSensor {
        do throws(ValueEncodingError) {
            return try SimulatedSensor(values, every: interval, key: key)
        } catch {
            SimulationMistake.record("\(error)", file, line)
            return SimulatedSensor(withoutValuesOf: values.first.map { type(of: $0).format } ?? .bthome)
        }
    }

    /// A RuuviTag: °C, percent, hPa and volts. Data format 5.
    ///
    /// A value that cannot be represented is an issue of the running test; without a test, it traps.
    public static func ruuvi(
        temperature: SimulatedValue? = nil, humidity: SimulatedValue? = nil, pressure: SimulatedValue? = nil,
        voltage: SimulatedValue? = nil, every interval: Duration = .seconds(1),
        file: StaticString = #fileID, line: UInt = #line
    ) -> SimulatedSensor {
        let values = [
            (Quantity.temperature, temperature), (.humidity, humidity), (.pressure, pressure), (.voltage, voltage),
        ]
        return make(.ruuvi, values.given, [], interval, nil, file, line)
    }

    /// A BTHome sensor: °C and percent, and states that are on or off.
    ///
    /// A value that cannot be represented is an issue of the running test; without a test, it traps.
    ///
    /// With a key it is encrypted, and each sample has the next counter.
    /// ``measuring(_:_:every:key:file:line:)`` has the other quantities of BTHome.
    public static func bthome(
        temperature: SimulatedValue? = nil, humidity: SimulatedValue? = nil, batteryLevel: SimulatedValue? = nil,
        states: [SensorState] = [], every interval: Duration = .seconds(1), key: DeviceKey? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> SimulatedSensor {
        let values = [
            (Quantity.temperature, temperature), (.humidity, humidity), (.batteryLevel, batteryLevel),
        ]
        return make(.bthome, values.given, states, interval, key, file, line)
    }

    private static func make(
        _ format: SensorFormat, _ values: [(quantity: Quantity, value: SimulatedValue)], _ states: [SensorState],
        _ interval: Duration, _ key: DeviceKey?, _ file: StaticString, _ line: UInt
    ) -> SimulatedSensor {
        do throws(ValueEncodingError) {
            return try SimulatedSensor(format, measuring: values, states: states, every: interval, key: key)
        } catch {
            SimulationMistake.record("\(error)", file, line)
            return SimulatedSensor(withoutValuesOf: format)
        }
    }
}

extension [(Quantity, SimulatedValue?)] {
    /// The quantities that have a value.
    fileprivate var given: [(quantity: Quantity, value: SimulatedValue)] {
        compactMap { entry in entry.1.map { (entry.0, $0) } }
    }
}
