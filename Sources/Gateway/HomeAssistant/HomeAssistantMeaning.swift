import BluetoothValues

/// What a measured value is for Home Assistant.
///
/// A device class is set only if Home Assistant allows the unit for it.
/// Source: Home Assistant, sensor and binary sensor, device classes.
struct HomeAssistantMeaning: Hashable {
    let deviceClass: String?
    let stateClass: String?
    /// The unit in Home Assistant's spelling; nil for numbers without a unit.
    let unit: String?
    let isDiagnostic: Bool

    init(_ quantity: Quantity, _ unit: MeasurementUnit) {
        let rule = Self.rules[quantity]
        deviceClass = rule?.first { $0.units.contains(unit) }?.deviceClass
        let totals: Set<Quantity> = [.energy, .yieldToday, .gas, .water, .volume, .precipitation, .movementCount]
        let modes: Set<Quantity> = [.mode, .channel, .errorCode, .settingsRevision]
        stateClass = modes.contains(quantity) ? nil : totals.contains(quantity) ? "total_increasing" : "measurement"
        self.unit = Self.text(unit)
        isDiagnostic = Self.diagnostic.contains(quantity)
    }

    private static let diagnostic: Set<Quantity> = [
        .batteryLevel, .voltage, .transmitPower, .calibratedPower, .upTime, .advertisementCount, .quality, .errorCode,
        .settingsRevision, .mode, .channel,
    ]

    private static let rules: [Quantity: [(deviceClass: String, units: Set<MeasurementUnit>)]] = [
        .temperature: [("temperature", [.celsius])], .probeTemperature: [("temperature", [.celsius])],
        .dewPoint: [("temperature", [.celsius])], .bodyTemperature: [("temperature", [.celsius])],
        .humidity: [("humidity", [.percent])], .moisture: [("moisture", [.percent])],
        .pressure: [("pressure", [.hectopascal, .millimetreOfMercury])], .illuminance: [("illuminance", [.lux])],
        .batteryLevel: [("battery", [.percent])], .stateOfCharge: [("battery", [.percent])],
        .voltage: [("voltage", [.volt])], .auxiliaryVoltage: [("voltage", [.volt])],
        .midpointVoltage: [("voltage", [.volt])], .current: [("current", [.ampere])], .power: [("power", [.watt])],
        .energy: [("energy", [.kilowattHour])], .yieldToday: [("energy", [.kilowattHour])],
        .timeRemaining: [("duration", [.second, .minute, .hour, .day])],
        .duration: [("duration", [.second, .minute, .hour, .day])],
        .upTime: [("duration", [.second, .minute, .hour, .day])],
        .carbonDioxide: [("carbon_dioxide", [.partsPerMillion])],
        .volatileOrganicCompounds: [
            ("volatile_organic_compounds", [.microgramPerCubicMetre]),
            ("volatile_organic_compounds_parts", [.partsPerMillion, .partsPerBillion]),
        ],
        .particles1: [("pm1", [.microgramPerCubicMetre])], .particles2_5: [("pm25", [.microgramPerCubicMetre])],
        .particles10: [("pm10", [.microgramPerCubicMetre])],
        .soundAverage: [("sound_pressure", [.decibelOfSound, .decibel])],
        .soundPeak: [("sound_pressure", [.decibelOfSound, .decibel])],
        .soundInstant: [("sound_pressure", [.decibelOfSound, .decibel])],
        .speed: [("speed", [.metrePerSecond, .kilometrePerHour])],
        .distance: [("distance", [.millimetre, .metre, .kilometre, .inch])], .mass: [("weight", [.kilogram, .gram])],
        .volume: [("volume", [.litre, .millilitre, .cubicMetre])],
        .storedVolume: [("volume_storage", [.litre, .millilitre, .cubicMetre])],
        .volumeFlow: [("volume_flow_rate", [.cubicMetrePerHour])], .gas: [("gas", [.cubicMetre])],
        .water: [("water", [.litre, .cubicMetre])], .conductivity: [("conductivity", [.microsiemensPerCentimetre])],
        .precipitation: [("precipitation", [.millimetre, .inch])],
        .transmitPower: [("signal_strength", [.decibelMilliwatt, .decibel])],
        .calibratedPower: [("signal_strength", [.decibelMilliwatt, .decibel])],
    ]

    /// Returns a unit in Home Assistant's spelling; nil for numbers without a unit.
    static func text(_ unit: MeasurementUnit) -> String? {
        switch unit {
        case .litre: "L"
        case .millilitre: "mL"
        case .litrePerSecond: "L/s"
        case .decibelOfSound: "dB"
        default: unit.symbol.isEmpty ? nil : unit.symbol
        }
    }

    /// Returns the device class of a state; nil if Home Assistant has none.
    static func deviceClass(_ kind: SensorState.Kind) -> String? {
        switch kind {
        case .generic, .stable, .loadRemoved, .calibrating, .button, .alarm, .armed, .idle: nil
        case .batteryLow: "battery"
        case .unlocked: "lock"
        case .inUse: "occupancy"
        default: kind.rawValue.snakeCase
        }
    }
}
