/// A format of advertisements that can be made from measurements alone.
public protocol MeasurementFormat: AdvertisementFormat {
    /// Makes a value that sends these measurements, in their order.
    ///
    /// A measurement has the unit that the format uses, or ``MeasurementUnit/none``. Throws with the quantity that the
    /// format does not have. The properties that are not measurements have their default values.
    init(measurements: [SensorMeasurement]) throws(ValueEncodingError)

    /// The quantities that values of the format can have, each once.
    ///
    /// Not every combination fits into one packet.
    static var quantities: [Quantity] { get }
}

extension SensorFormat {
    /// The quantities that values of the format can have; empty if it has no measurements.
    public var quantities: [Quantity] { (type as? any MeasurementFormat.Type)?.quantities ?? [] }

    /// The type of the format; nil if its devices are only recognised, and for a format of a program.
    public var type: (any AdvertisementFormat.Type)? {
        switch self {
        case .bthome: BTHome.self
        case .miBeacon: MiBeacon.self
        case .ruuvi: RuuviTag.self
        case .iBeacon: IBeacon.self
        case .tilt: Tilt.self
        case .altBeacon: AltBeacon.self
        case .eddystone: Eddystone.self
        case .atc1441: ATC1441.self
        case .pvvx: PVVX.self
        case .bParasite: BParasite.self
        case .govee: Govee.self
        case .inkbird: Inkbird.self
        case .thermoPro: ThermoPro.self
        case .switchBot: SwitchBot.self
        case .qingping: Qingping.self
        case .sensirion: Sensirion.self
        case .miScale: MiScale.self
        case .aranet: Aranet.self
        case .oralB: OralB.self
        case .mopeka: Mopeka.self
        case .victron: Victron.self
        case .environmentalSensing: EnvironmentalData.self
        case .appleContinuity, .findMy, .locationTracker, .fastPair, .exposureNotification, .encryptedData, .custom:
            nil
        }
    }

    /// Makes a value of this format that sends measurements; nil if the format has no measurements.
    ///
    /// Throws with the quantity that the format does not have.
    public func value(
        measuring measurements: [SensorMeasurement]
    ) throws(ValueEncodingError) -> (any AdvertisementFormat)? {
        guard let type = type as? any MeasurementFormat.Type else { return nil }
        return try type.init(measurements: measurements)
    }
}

/// Measurements that a format takes one after another.
struct MeasurementList {
    let subject: String
    private var rest: [SensorMeasurement]

    init(_ subject: String, _ measurements: [SensorMeasurement]) {
        self.subject = subject
        rest = measurements
    }

    var isEmpty: Bool { rest.isEmpty }
    var first: SensorMeasurement? { rest.first }

    /// Takes the first measurement of a quantity; nil if there is none. Throws if it has another unit.
    mutating func take(_ quantity: Quantity, _ unit: MeasurementUnit) throws(ValueEncodingError) -> Double? {
        guard let place = rest.firstIndex(where: { $0.quantity == quantity }) else { return nil }
        let measurement = rest.remove(at: place)
        guard measurement.unit == unit || measurement.unit == .none else {
            throw ValueEncodingError(subject, field: quantity.rawValue, .contradiction)
        }
        return measurement.value
    }

    /// Takes a measurement that must be there.
    mutating func need(_ quantity: Quantity, _ unit: MeasurementUnit) throws(ValueEncodingError) -> Double {
        guard let value = try take(quantity, unit) else {
            throw ValueEncodingError(subject, field: quantity.rawValue, .missing)
        }
        return value
    }

    /// Takes the measurements of a record that are there. Returns nil, and takes none, if one that it needs is missing.
    mutating func take(_ record: Record) -> [SensorMeasurement]? {
        var left = rest
        var taken: [SensorMeasurement] = []
        for field in record.fields where field.condition == nil {
            let place = left.firstIndex {
                $0.quantity == field.quantity && ($0.unit == field.unit || $0.unit == .none)
            }
            guard let place else {
                if field.absent == nil { return nil }
                continue
            }
            let index = taken.count { $0.quantity == field.quantity }
            taken.append(SensorMeasurement(field.quantity, left.remove(at: place).value, field.unit, index: index))
        }
        guard !taken.isEmpty else { return nil }
        rest = left
        return taken
    }

    /// Throws if a measurement was not taken.
    func finish() throws(ValueEncodingError) {
        if let first = rest.first {
            throw ValueEncodingError(subject, field: first.quantity.rawValue, .contradiction)
        }
    }
}

extension [Quantity] {
    /// The quantities in the same order, each once.
    var unique: [Quantity] {
        var known: Set<Quantity> = []
        return filter { known.insert($0).inserted }
    }
}

extension Layout {
    /// The quantities of the fields.
    var quantities: [Quantity] { fields.compactMap(\.quantity).unique }

    /// Makes a value from measurements. Throws if the layout does not have one of them.
    func make(_ measurements: [SensorMeasurement]) throws(ValueEncodingError) -> Root {
        var list = MeasurementList(subject, measurements)
        let root = try make(&list)
        try list.finish()
        return root
    }

    /// Makes a value from those measurements that the layout has.
    func make(_ list: inout MeasurementList) throws(ValueEncodingError) -> Root {
        var root = Root()
        for index in fields.indices {
            guard let quantity = fields[index].quantity else { continue }
            guard let value = try list.take(quantity, fields[index].unit) else { continue }
            guard fields[index].set(value, in: &root) else {
                throw ValueEncodingError(subject, field: quantity.rawValue, .outOfRange)
            }
        }
        return root
    }
}
