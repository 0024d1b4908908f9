/// One number of a payload that becomes a measurement, for formats with many kinds of payload.
struct RecordField: Sendable {
    let cell: Cell
    var scale = Scale.one
    let quantity: Quantity
    let unit: MeasurementUnit
    /// The integer that means that there is no value.
    var absent: Int64?
    /// Another integer that means the same. It is decoded only.
    var otherAbsent: Int64?
    var curve: Curve?
    /// The field exists only if an integer of the payload has this value.
    var condition: Condition?

    /// An integer of the payload and the value that it must have.
    struct Condition: Sendable {
        var cell: Cell
        var value: Int64
    }

    init(
        _ quantity: Quantity, _ cell: Cell, _ scale: Scale = .one, _ unit: MeasurementUnit = .none,
        absent: Int64? = nil, orAbsent otherAbsent: Int64? = nil, curve: Curve? = nil, if condition: Condition? = nil
    ) {
        self.quantity = quantity
        self.cell = cell
        self.scale = scale
        self.unit = unit
        self.absent = absent
        self.otherAbsent = otherAbsent
        self.curve = curve
        self.condition = condition
    }
}

/// A payload that consists of measurements.
struct Record: Sendable {
    let length: Int
    let fields: [RecordField]

    /// The quantities of the fields that are always there.
    var quantities: [Quantity] { fields.filter { $0.condition == nil }.map(\.quantity) }

    init(_ length: Int, _ fields: [RecordField]) {
        self.length = length
        self.fields = fields
    }

    /// The index that a field's measurement has: the number of earlier fields with its quantity.
    private func index(of position: Int) -> Int {
        var index = 0
        for earlier in 0..<position where fields[earlier].quantity == fields[position].quantity { index += 1 }
        return index
    }

    /// Decodes the bytes that begin at an offset; nil if there are too few, or a value is invalid.
    func decode(_ bytes: [UInt8], start: Int = 0) -> [SensorMeasurement]? {
        guard start + length <= bytes.count else { return nil }
        var measurements: [SensorMeasurement] = []
        measurements.reserveCapacity(fields.count)
        for position in fields.indices {
            let field = fields[position]
            if let condition = field.condition, condition.cell.read(bytes, start: start) != condition.value { continue }
            guard let integer = field.cell.read(bytes, start: start) else { return nil }
            if integer == field.absent || integer == field.otherAbsent { continue }
            guard let value = field.curve.map({ $0.value(integer) }) ?? field.scale.value(integer) else { return nil }
            measurements.append(SensorMeasurement(field.quantity, value, field.unit, index: index(of: position)))
        }
        return measurements
    }

    /// Encodes measurements. Those that the record does not have are an error.
    func encode(_ measurements: [SensorMeasurement], subject: String) throws(ValueEncodingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        var used = 0
        for (position, field) in fields.enumerated() {
            if let condition = field.condition, condition.cell.read(bytes) != condition.value { continue }
            let place = index(of: position)
            let name = field.quantity.rawValue
            let stored: Int64
            if let found = measurements.first(where: { $0.quantity == field.quantity && $0.index == place }) {
                used += 1
                let integer = field.curve.map { $0.integer(found.value) } ?? field.scale.integer(found.value)
                guard let integer, integer != field.absent, integer != field.otherAbsent else {
                    throw ValueEncodingError(subject, field: name, .outOfRange)
                }
                stored = integer
            } else {
                guard let absent = field.absent else { throw ValueEncodingError(subject, field: name, .missing) }
                stored = absent
            }
            guard field.cell.write(stored, to: &bytes) else {
                throw ValueEncodingError(subject, field: name, .outOfRange)
            }
        }
        guard used == measurements.count else {
            throw ValueEncodingError(subject, field: "measurements", .contradiction)
        }
        return bytes
    }
}

extension Cell {
    /// Bits counted from the lowest bit of the first byte.
    static func run(_ bit: Int, _ count: Int, signed: Bool = false) -> Cell {
        let first = bit / 8
        let bytes = (bit + count + 7) / 8 - first
        return .bits(first, bytes: bytes, from: bit % 8, count: count, signed: signed)
    }
}
