/// A format with a payload that a table describes.
protocol TableFormat: Sendable {
    /// Makes a value that decoding fills in.
    init()
}

/// One field of a payload: its place, its conversion, and the property that holds the value.
struct Field<Root>: Sendable {
    let name: StaticString
    let cell: Cell
    var scale = Scale.one
    /// The integer that means that there is no value.
    var absent: Int64?
    /// The integers that are valid; nil if all are. Others mean that there is no value if `absent` is set.
    var range: ClosedRange<Int64>?
    /// The conversion if it is not linear.
    var curve: Curve?
    let binding: Binding<Root>
    /// What the field means in a `SensorReading`; nil if it is not a measurement.
    var quantity: Quantity?
    var unit = MeasurementUnit.none
}

/// The property that holds a field.
enum Binding<Root>: Sendable {
    case number(StoredProperty<Root, Double?>)
    case integer(StoredProperty<Root, Int>)
    case optionalInteger(StoredProperty<Root, Int?>)
    case flag(StoredProperty<Root, Bool>)
    case address(StoredProperty<Root, SenderAddress?>)
}

extension Field {
    typealias Path<Value> = WritableKeyPath<Root, Value>

    /// A measured value with its quantity and unit.
    static func number(
        _ path: Path<Double?>, _ cell: Cell, _ scale: Scale = .one, _ quantity: Quantity, _ unit: MeasurementUnit,
        absent: Int64? = nil, range: ClosedRange<Int64>? = nil
    ) -> Field {
        Field(
            name: "", cell: cell, scale: scale, absent: absent, range: range,
            binding: .number(StoredProperty(path)),
            quantity: quantity, unit: unit)
    }

    /// A measured value with a conversion that is not linear.
    static func curve(
        _ path: Path<Double?>, _ cell: Cell, _ curve: Curve, _ quantity: Quantity, _ unit: MeasurementUnit,
        absent: Int64? = nil
    ) -> Field {
        Field(
            name: "", cell: cell, absent: absent, curve: curve, binding: .number(StoredProperty(path)),
            quantity: quantity, unit: unit)
    }

    /// A number that is always present.
    static func integer(
        _ name: StaticString, _ path: Path<Int>, _ cell: Cell, quantity: Quantity? = nil,
        range: ClosedRange<Int64>? = nil
    ) -> Field {
        Field(name: name, cell: cell, range: range, binding: .integer(StoredProperty(path)), quantity: quantity)
    }

    /// A number that may be absent.
    static func integer(
        _ name: StaticString, _ path: Path<Int?>, _ cell: Cell, absent: Int64, quantity: Quantity? = nil
    ) -> Field {
        Field(
            name: name, cell: cell, absent: absent, binding: .optionalInteger(StoredProperty(path)), quantity: quantity)
    }

    /// One bit.
    static func flag(_ name: StaticString, _ path: Path<Bool>, _ offset: Int, bit: Int) -> Field {
        Field(name: name, cell: .bits(offset, from: bit, count: 1), binding: .flag(StoredProperty(path)))
    }

    /// A Bluetooth address of six bytes.
    static func address(_ path: Path<SenderAddress?>, _ cell: Cell, absent: Int64? = nil) -> Field {
        Field(name: "address", cell: cell, absent: absent, binding: .address(StoredProperty(path)))
    }

    /// The name for errors. The name itself is a static text, so that copying a field costs no reference count.
    private var title: String { quantity?.rawValue ?? "\(name)" }

    /// Reads the field. Throws if a value is forbidden; a field beyond the end stays unset.
    func read(_ bytes: [UInt8], into root: inout Root) throws(ValueDecodingError) {
        guard let integer = cell.read(bytes) else { return }
        if integer == absent { return }
        if let range, !range.contains(integer) {
            if absent != nil { return }
            throw ValueDecodingError("", .invalidValue(field: title), bytes: bytes)
        }
        switch binding {
        case .number(let property):
            guard let curve else {
                property.set(scale.value(integer), in: &root)
                return
            }
            guard let value = curve.value(integer) else {
                if absent != nil { return }
                throw ValueDecodingError("", .invalidValue(field: title), bytes: bytes)
            }
            property.set(value, in: &root)
        case .integer(let property): property.set(Int(integer), in: &root)
        case .optionalInteger(let property): property.set(Int(integer), in: &root)
        case .flag(let property): property.set(integer != 0, in: &root)
        case .address(let property): property.set(SenderAddress(UInt64(truncatingIfNeeded: integer)), in: &root)
        }
    }

    /// Writes the field into bytes that are zero at its place.
    func write(_ root: inout Root, to bytes: inout [UInt8]) throws(ValueEncodingError) {
        let integer: Int64?
        switch binding {
        case .number(let property): integer = try raw(property.get(&root))
        case .integer(let property): integer = Int64(property.get(&root))
        case .optionalInteger(let property): integer = property.get(&root).map(Int64.init)
        case .flag(let property): integer = property.get(&root) ? 1 : 0
        case .address(let property): integer = property.get(&root).map { Int64(truncatingIfNeeded: $0.number) }
        }
        guard let stored = integer ?? absent else { throw ValueEncodingError("", field: title, .missing) }
        guard integer == nil || (stored != absent && range?.contains(stored) != false), cell.write(stored, to: &bytes)
        else { throw ValueEncodingError("", field: title, .outOfRange) }
    }

    private func raw(_ value: Double?) throws(ValueEncodingError) -> Int64? {
        guard let value else { return nil }
        let integer = curve.map { $0.integer(value) } ?? scale.integer(value)
        guard let integer else { throw ValueEncodingError("", field: title, .outOfRange) }
        return integer
    }

    /// Sets the property to a measured value; returns false if the property cannot hold it.
    func set(_ value: Double, in root: inout Root) -> Bool {
        switch binding {
        case .number(let property): property.set(value, in: &root)
        case .integer(let property):
            guard let integer = Int(exactly: value) else { return false }
            property.set(integer, in: &root)
        case .optionalInteger(let property):
            guard let integer = Int(exactly: value) else { return false }
            property.set(integer, in: &root)
        case .flag, .address: return false
        }
        return true
    }

    /// The value as a measurement; nil if it is absent or not a measurement.
    func value(of root: inout Root) -> Double? {
        switch binding {
        case .number(let property): property.get(&root)
        case .integer(let property): Double(property.get(&root))
        case .optionalInteger(let property): property.get(&root).map(Double.init)
        case .flag, .address: nil
        }
    }
}

/// A payload of fixed fields.
struct Layout<Root: TableFormat>: Sendable {
    let subject: String
    /// The numbers of bytes that a payload may have. Encoding makes the longest payload.
    let length: ClosedRange<Int>
    /// Bytes that identify the layout, by offset.
    var constants: [Constant] = []
    let fields: [Field<Root>]

    /// Bits of a byte that identify the layout.
    struct Constant: Hashable, Sendable {
        var offset: Int
        var mask: UInt8 = 0xFF
        var value: UInt8
    }

    init(_ subject: String, length: Int, constants: [Constant] = [], _ fields: [Field<Root>]) {
        self.init(subject, lengths: length...length, constants: constants, fields)
    }

    init(_ subject: String, lengths: ClosedRange<Int>, constants: [Constant] = [], _ fields: [Field<Root>]) {
        self.subject = subject
        self.length = lengths
        self.constants = constants
        self.fields = fields
    }

    /// Whether bytes have the length and the constants of the layout.
    func matches(_ bytes: [UInt8]) -> Bool {
        length.contains(bytes.count) && !hasOtherConstants(bytes)
    }

    /// Decodes a payload. Errors have the bytes of the whole section if the payload is a part of it, or was decrypted.
    func decode(_ bytes: [UInt8], of whole: [UInt8]? = nil) throws(ValueDecodingError) -> Root {
        guard length.contains(bytes.count), !hasOtherConstants(bytes) else { throw mismatch(bytes, of: whole ?? bytes) }
        var root = Root()
        do {
            for index in fields.indices { try fields[index].read(bytes, into: &root) }
        } catch {
            throw ValueDecodingError(subject, error.reason, bytes: whole ?? bytes)
        }
        return root
    }

    private func hasOtherConstants(_ bytes: [UInt8]) -> Bool {
        for constant in constants where bytes[constant.offset] & constant.mask != constant.value { return true }
        return false
    }

    private func mismatch(_ bytes: [UInt8], of whole: [UInt8]) -> ValueDecodingError {
        if bytes.count < length.lowerBound {
            return ValueDecodingError(subject, .tooShort(needed: length.lowerBound), bytes: whole)
        }
        if bytes.count > length.upperBound {
            return ValueDecodingError(subject, .tooLong(allowed: length.upperBound), bytes: whole)
        }
        let other = constants.first { bytes[$0.offset] & $0.mask != $0.value }
        return ValueDecodingError(
            subject, .reservedIdentifier(Int(bytes[other?.offset ?? 0])), bytes: whole)
    }

    /// Encodes a value.
    func encode(_ root: Root) throws(ValueEncodingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length.upperBound)
        for constant in constants { bytes[constant.offset] |= constant.value }
        var root = root
        do {
            for field in fields { try field.write(&root, to: &bytes) }
        } catch {
            throw ValueEncodingError(subject, field: error.field, error.reason)
        }
        return bytes
    }

    /// Adds the measurements of a value to a reading.
    func add(_ root: Root, to reading: inout SensorReading) {
        var root = root
        reading.measurements.reserveCapacity(fields.count)
        for index in fields.indices {
            guard let quantity = fields[index].quantity else { continue }
            reading.add(quantity, fields[index].value(of: &root), fields[index].unit)
        }
    }
}
