import BluetoothValues

/// The name of a quantity in messages, with the unit in which messages have it.
struct MeasuredProperty: Hashable {
    /// The name in JSON, as in Theengs Gateway and OpenMQTTGateway where they have the quantity.
    let key: String
    /// The value in ``unit``, rounded to four decimals.
    let value: Double
    let unit: MeasurementUnit
    let quantity: Quantity
    /// The position among the values of this quantity, from 0.
    let index: Int

    /// Makes the property of a measurement; nil if the value is not finite.
    init?(_ measurement: SensorMeasurement) {
        guard measurement.value.isFinite else { return nil }
        let (value, unit) = Self.converted(measurement.value, measurement.unit)
        guard value.isFinite else { return nil }
        self.value = Self.rounded(value)
        self.unit = unit
        quantity = measurement.quantity
        index = measurement.index
        key = Self.key(measurement.quantity) + (index == 0 ? "" : String(index + 1))
    }

    /// The temperature in degrees Fahrenheit, which Theengs also publishes; nil for other quantities.
    var fahrenheit: (key: String, value: Double)? {
        guard unit == .celsius, key.hasPrefix("tempc") else { return nil }
        return ("tempf" + key.dropFirst(5), Self.rounded(value * 9 / 5 + 32))
    }

    /// Returns the name of the first value of a quantity.
    static func key(_ quantity: Quantity) -> String { keys[quantity] ?? quantity.rawValue.snakeCase }

    private static func rounded(_ value: Double) -> Double {
        abs(value) < 1e11 ? (value * 1e4).rounded() / 1e4 : value
    }

    /// Source: the properties of Theengs Decoder. Other quantities have the name of the library.
    private static let keys: [Quantity: String] = [
        .temperature: "tempc", .probeTemperature: "tempc_probe", .dewPoint: "tempc_dp", .bodyTemperature: "tempc_body",
        .humidity: "hum", .moisture: "moi", .pressure: "pres", .illuminance: "lux", .lightLevel: "lightlevel",
        .batteryLevel: "batt", .voltage: "volt", .auxiliaryVoltage: "volt_aux", .midpointVoltage: "volt_mid",
        .consumedCharge: "consumed_ah", .stateOfCharge: "soc", .timeRemaining: "ttg", .carbonDioxide: "co2",
        .volatileOrganicCompounds: "tvoc", .formaldehyde: "for", .particles1: "pm1", .particles2_5: "pm25",
        .particles4: "pm4", .particles10: "pm10", .accelerationX: "accx", .accelerationY: "accy",
        .accelerationZ: "accz", .acceleration: "acc", .mass: "weight", .movementCount: "mov", .rotation: "rot",
        .conductivity: "fer", .transmitPower: "tx", .calibratedPower: "txpower", .upTime: "uptime", .heartRate: "bpm",
        .specificGravity: "gravity",
    ]

    /// Converts to the unit that messages use for all formats.
    static func converted(_ value: Double, _ unit: MeasurementUnit) -> (Double, MeasurementUnit) {
        switch unit {
        case .fahrenheit: ((value - 32) * 5 / 9, .celsius)
        case .kelvin: (value - 273.15, .celsius)
        case .pascal: (value / 100, .hectopascal)
        case .kilopascal: (value * 10, .hectopascal)
        case .standardGravity: (value * 9.80665, .metrePerSecondSquared)
        case .gram: (value / 1_000, .kilogram)
        case .pound: (value * 0.45359237, .kilogram)
        case .jin: (value / 2, .kilogram)
        case .wattHour: (value / 1_000, .kilowattHour)
        case .kilometrePerHour: (value / 3.6, .metrePerSecond)
        default: (value, unit)
        }
    }
}

/// The name of a state in messages.
struct StateProperty: Hashable {
    let key: String
    let isOn: Bool
    let kind: SensorState.Kind
    /// The position among the states of this kind, from 0.
    let index: Int

    /// Makes the properties of states, in their order.
    static func all(_ states: [SensorState]) -> [StateProperty] {
        var properties: [StateProperty] = []
        for state in states {
            let index = properties.count { $0.kind == state.kind }
            let key = key(state.kind) + (index == 0 ? "" : String(index + 1))
            properties.append(StateProperty(key: key, isOn: state.isOn, kind: state.kind, index: index))
        }
        return properties
    }

    /// Returns the name of the first state of a kind. It differs from the names of all quantities and events.
    static func key(_ kind: SensorState.Kind) -> String {
        switch kind {
        case .opening: "open"
        case .batteryLow: "lowbatt"
        case .plug: "plugged_in"
        case .power: "power_on"
        case .gas: "gas_detected"
        case .button: "button_held"
        case .moisture: "wet"
        default: kind.rawValue.snakeCase
        }
    }
}
