// The formats that can be made from measurements alone.

extension RuuviTag: MeasurementFormat {
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
    /// Makes an unencrypted value.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension PVVX: MeasurementFormat {
    /// Makes an unencrypted value.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension BParasite: MeasurementFormat {
    /// Makes a value of version 2 of the protocol.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout2.make(measurements)
    }
}

extension Inkbird: MeasurementFormat {
    /// Makes a value of an IBS-TH.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension ThermoPro: MeasurementFormat {
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
    /// Makes a value of service data if the battery is measured, and of manufacturer data otherwise.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        let hasBattery = measurements.contains { $0.quantity == .batteryLevel }
        self = try (hasBattery ? Self.serviceLayout : Self.manufacturerLayout).make(measurements)
        if hasBattery { kind = 0x69 }
    }
}

extension Sensirion: MeasurementFormat {
    /// Makes a value of sample type 8 with carbon dioxide, and 4 without.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        let hasCarbon = measurements.contains { $0.quantity == .carbonDioxide }
        self = try (hasCarbon ? Self.layout8 : Self.layout4).make(measurements)
        sampleType = hasCarbon ? 8 : 4
    }
}

extension Aranet: MeasurementFormat {
    /// Makes a value of an Aranet4.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout4.make(measurements)
    }
}

extension Govee: MeasurementFormat {
    /// Makes a value of an H5075.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var list = MeasurementList("govee", measurements)
        let temperature = try list.need(.temperature, .celsius)
        let humidity = try list.need(.humidity, .percent)
        let battery = try list.take(.batteryLevel, .percent) ?? 100
        try list.finish()
        guard let charge = Int(exactly: battery.rounded()) else {
            throw ValueEncodingError("govee", field: "batteryLevel", .outOfRange)
        }
        self.init(temperature: temperature, humidity: humidity, battery: charge)
    }
}

extension MiScale: MeasurementFormat {
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
    /// Makes a value of a Pro Check. The level is set by ``level``, because its height depends on the medium.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        self = try Self.layout.make(measurements)
    }
}

extension EnvironmentalData: MeasurementFormat {
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
    /// Makes an unencrypted value with an object for each measurement, the first type that has its quantity and range.
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
    /// Makes telemetry.
    public init(measurements: [SensorMeasurement]) throws(ValueEncodingError) {
        var telemetry = try Telemetry.layout.make(measurements)
        telemetry.upTime = telemetry.upTime ?? 0
        self = .telemetry(telemetry)
    }
}
