// The formats that can be made from measurements alone.

extension RuuviTag: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { Version.allCases.flatMap { layout($0).quantities }.unique }

    /// Makes a value of the first of the data formats 5, 6, E1 and 3 that has all measurements.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        for version in [Version.v5, .v6, .e1, .v3] {
            guard let value = try? Self.layout(version).make(measurements) else { continue }
            self = value
            self.version = version
            return
        }
        // Format 5 names the first measurement that it does not have.
        self = try Self.layout5.make(measurements)
    }
}

extension ATC1441: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { layout.quantities }

    /// Makes an unencrypted value.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension PVVX: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { layout.quantities }

    /// Makes an unencrypted value.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension BParasite: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { layout2.quantities }

    /// Makes a value of version 2 of the protocol.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout2.make(measurements)
    }
}

extension Inkbird: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { layout.quantities }

    /// Makes a value of an IBS-TH.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension ThermoPro: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { layout.quantities + [.batteryLevel] }

    /// Makes a value of a TP357. Its battery has the steps 1, 50 and 100 percent.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("thermopro", measurements)
        let battery = try list.take(.batteryLevel, .percent)
        self = try Self.layout.make(&list)
        try list.finish()
        if let battery { batteryStep = battery < 25 ? 0 : battery < 75 ? 1 : 2 }
    }
}

extension SwitchBot: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        (serviceLayout.quantities + manufacturerLayout.quantities + [.carbonDioxide]).unique
    }

    /// Makes a value of service data if the battery is measured, and of manufacturer data otherwise.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("switchbot", measurements)
        let hasBattery = measurements.contains { $0.quantity == .batteryLevel }
        let gas = hasBattery ? nil : try list.take(.carbonDioxide, .partsPerMillion)
        self = try (hasBattery ? Self.serviceLayout : Self.manufacturerLayout).make(&list)
        try list.finish()
        if hasBattery { kind = 0x69 }
        guard let gas else { return }
        guard let number = Int(exactly: gas.rounded()) else {
            throw ValueEncodingError("switchbot", field: Quantity.carbonDioxide.rawValue, .outOfRange)
        }
        carbonDioxide = number
        // As many bytes as a Meter Pro CO2 sends.
        undecoded = [0, 0, 0]
    }
}

extension Sensirion: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        layouts.sorted { $0.key < $1.key }.flatMap { $0.value.quantities }.unique
    }

    /// Makes a value of the smallest sample with these measurements, of the type with the lowest number.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        let wanted = Set(measurements.map(\.quantity))
        // These types have another scale than the later ones with the same quantities, which are more precise.
        let types = Self.supportedSamples.filter { ![0x0C, 0x10, 0x14].contains($0) }
        for type in types {
            guard let layout = Self.layouts[type], Set(layout.quantities) == wanted else { continue }
            self = try layout.make(measurements)
            sampleType = type
            return
        }
        throw ValueEncodingError("sensirion", field: measurements.first?.quantity.rawValue ?? "sample", .contradiction)
    }
}

extension Aranet: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        (layout4.quantities + radiationLayout.quantities + radonLayout.quantities).unique
    }

    /// Makes a value of an Aranet4, or of a Radiation or Radon if one of their quantities is measured.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        let wanted = Set(measurements.map(\.quantity))
        if wanted.contains(.radon) {
            self = try Self.radonLayout.make(measurements)
            model = .radon
        } else if wanted.contains(.radiationDose) || wanted.contains(.radiationDoseRate) {
            self = try Self.radiationLayout.make(measurements)
            model = .radiation
        } else {
            self = try Self.layout4.make(measurements)
        }
    }
}

extension Govee: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        [.temperature, .humidity, .batteryLevel, .carbonDioxide, .particles2_5]
    }

    /// Makes a value of an H5075, or of an H5140 or H5106 if carbon dioxide or particles are measured.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("govee", measurements)
        let temperature = try list.need(.temperature, .celsius)
        let humidity = try list.need(.humidity, .percent)
        func take(_ quantity: Quantity, _ unit: MeasurementUnit) throws(ValueEncodingError) -> Int? {
            guard let value = try list.take(quantity, unit) else { return nil }
            guard let number = Int(exactly: value.rounded()) else {
                throw ValueEncodingError("govee", field: quantity.rawValue, .outOfRange)
            }
            return number
        }
        let carbonDioxide = try take(.carbonDioxide, .partsPerMillion)
        let particles = carbonDioxide == nil ? try take(.particles2_5, .microgramPerCubicMetre) : nil
        let family = carbonDioxide != nil ? Family.h5140 : particles != nil ? .h5106 : .h5075
        let battery = family == .h5075 ? try take(.batteryLevel, .percent) ?? 100 : nil
        try list.finish()
        self.init(family, temperature: temperature, humidity: humidity, battery: battery)
        self.carbonDioxide = carbonDioxide
        self.particles = particles
    }
}

extension MiScale: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { [.mass, .impedance] }

    /// Makes a stable value of version 2 in kilograms.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("miscale", measurements)
        let mass = try list.need(.mass, .kilogram)
        let impedance = try list.take(.impedance, .ohm)
        try list.finish()
        guard mass >= 0, mass <= 327 else { throw ValueEncodingError("miscale", field: "mass", .outOfRange) }
        self.init(weight: mass)
        guard let impedance else { return }
        guard let ohms = Int(exactly: impedance.rounded()) else {
            throw ValueEncodingError("miscale", field: "impedance", .outOfRange)
        }
        self.impedance = ohms
    }
}

extension Tilt: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { [.temperature, .specificGravity] }

    /// Makes a value of a red Tilt, with the temperature in °F.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("tilt", measurements)
        let temperature = try list.need(.temperature, .fahrenheit)
        let gravity = try list.need(.specificGravity, .specificGravity)
        try list.finish()
        self.init(color: .red, temperature: temperature, specificGravity: gravity)
    }
}

extension OralB: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { [.duration] + layout.quantities }

    /// Makes a value of a running toothbrush.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("oralb", measurements)
        let duration = try list.need(.duration, .second)
        self = try Self.layout.make(&list)
        try list.finish()
        guard let time = Int(exactly: duration.rounded()), (0..<15_360).contains(time) else {
            throw ValueEncodingError("oralb", field: "duration", .outOfRange)
        }
        (minutes, seconds, stateNumber) = (time / 60, time % 60, State.running.rawValue)
    }
}

extension Mopeka: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { layout.quantities }

    /// Makes a value of a Pro Check.
    ///
    /// The level is set by ``level``, because its height depends on the medium.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension EnvironmentalData: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        records.sorted { $0.key < $1.key }.flatMap { $0.value.quantities }.unique
    }

    /// Makes a value of the characteristic that has the only measurement.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        for characteristic in Self.supportedCharacteristics {
            var list = MeasurementList("ess", measurements)
            guard let record = Self.records[characteristic], let taken = list.take(record), list.isEmpty else {
                continue
            }
            self.init(characteristic, taken.first?.value)
            return
        }
        throw ValueEncodingError("ess", field: measurements.first?.quantity.rawValue ?? "measurement", .contradiction)
    }
}

extension BTHome: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { BTHomeObjects.quantities }

    /// Makes an unencrypted value with an object for each measurement.
    ///
    /// The object has the first type with the quantity and the range of the measurement.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var objects: [Object] = []
        for measurement in measurements {
            let identifiers = BTHomeObjects.identifiers(of: measurement)
            guard !identifiers.isEmpty else {
                throw ValueEncodingError("bthome", field: measurement.quantity.rawValue, .contradiction)
            }
            var made: Object?
            for identifier in identifiers where made == nil {
                made = try? Object(identifier, number: measurement.value)
            }
            guard let made else {
                throw ValueEncodingError("bthome", field: measurement.quantity.rawValue, .outOfRange)
            }
            objects.append(made)
        }
        // Receivers expect the objects in the order of their numbers.
        self.init(objects.sorted { $0.identifier < $1.identifier })
    }
}

extension MiBeacon: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        MiBeaconObjects.records.sorted { $0.key < $1.key }.flatMap { $0.value.quantities }.unique
    }

    /// Makes an unencrypted frame of an LYWSDCGQ with an object for each measurement.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("mibeacon", measurements)
        var objects: [Object] = []
        for (identifier, record) in MiBeaconObjects.records.sorted(by: { $0.key < $1.key }) {
            while let taken = list.take(record) { objects.append(try Object(identifier, taken)) }
        }
        try list.finish()
        self.init(product: 0x01AA, objects: objects)
    }
}

extension Qingping: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        records.sorted { $0.key < $1.key }.flatMap { $0.value.quantities }.unique
    }

    /// Makes a value of a CGG1 with an object for each measurement.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("qingping", measurements)
        var objects: [Object] = []
        for (identifier, record) in Self.records.sorted(by: { $0.key < $1.key }) {
            while let taken = list.take(record) { objects.append(try Object(identifier, taken)) }
        }
        try list.finish()
        self.init(product: 0x01, address: SenderAddress(0), objects: objects)
    }
}

extension Victron: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] {
        records.sorted { $0.key < $1.key }.flatMap { $0.value.quantities }.unique
    }

    /// Makes the first record that has all measurements, with no error, and no auxiliary input.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        for identifier in Self.supportedRecords {
            guard let record = Self.records[identifier] else { continue }
            var given = measurements
            // These fields have no value for absence: no error, and the mode 3 without auxiliary input.
            for field in record.fields where field.absent == nil && field.condition == nil {
                if given.contains(where: { $0.quantity == field.quantity }) { continue }
                guard field.quantity == .mode || field.quantity == .errorCode || field.quantity == .quality else {
                    continue
                }
                let value: Double = field.quantity == .mode && identifier == 0x02 ? 3 : 0
                given.append(SensorMeasurement(field.quantity, value, field.unit))
            }
            var list = MeasurementList("victron", given)
            guard let taken = list.take(record), list.isEmpty else { continue }
            self.init(record: identifier, measurements: taken)
            return
        }
        throw ValueEncodingError("victron", field: measurements.first?.quantity.rawValue ?? "record", .contradiction)
    }
}

extension Eddystone: MeasurementFormat {
    /// The quantities that values of the format can have.
    public static var quantities: [Quantity] { Telemetry.layout.quantities }

    /// Makes telemetry.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var telemetry = try Telemetry.layout.make(measurements)
        telemetry.upTime = telemetry.upTime ?? 0
        self = .telemetry(telemetry)
    }
}
