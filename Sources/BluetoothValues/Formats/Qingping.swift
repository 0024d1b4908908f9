/// Qingping (ClearGrass) sensors: a list of objects after a header.
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct Qingping: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.qingping
    /// Qingping's service.
    public static let service: UInt16 = 0xFDCD

    /// One object of a payload.
    public struct Object: Hashable, Sendable {
        /// The number of the object's type.
        public var identifier: UInt8
        /// The object's bytes.
        public var bytes: [UInt8]

        /// Makes an object of any type.
        public init(_ identifier: UInt8, _ bytes: [UInt8]) {
            self.identifier = identifier
            self.bytes = bytes
        }

        /// Makes an object of a known type from its measurements. Throws if the type has others.
        public init(_ identifier: UInt8, _ measurements: [SensorMeasurement]) throws(ValueEncodingError) {
            guard let record = Qingping.records[identifier] else {
                throw ValueEncodingError("qingping", field: "identifier", .outOfRange)
            }
            self.init(identifier, try record.encode(measurements, subject: "qingping"))
        }

        /// The measured values; empty for another type or length.
        public var measurements: [SensorMeasurement] {
            guard let record = Qingping.records[identifier], record.length == bytes.count else { return [] }
            return record.decode(bytes) ?? []
        }
    }

    // Table: objects by type.
    static let records: [UInt8: Record] = [
        0x01: Record(
            4,
            [
                RecordField(.temperature, .s16(0), .tenth, .celsius),
                RecordField(.humidity, .u16(2), .tenth, .percent),
            ]),
        0x02: Record(1, [RecordField(.batteryLevel, .u8(0), .one, .percent, absent: 0xFF)]),
        0x07: Record(2, [RecordField(.pressure, .u16(0), .tenth, .hectopascal)]),
        0x09: Record(4, [RecordField(.illuminance, .u32(0), .one, .lux)]),
        0x12: Record(
            4,
            [
                RecordField(.particles2_5, .u16(0), .one, .microgramPerCubicMetre),
                RecordField(.particles10, .u16(2), .one, .microgramPerCubicMetre),
            ]),
        0x13: Record(2, [RecordField(.carbonDioxide, .u16(0), .one, .partsPerMillion)]),
        0x15: Record(2, [RecordField(.vocIndex, .u16(0))]),
        0x19: Record(1, [RecordField(.soundInstant, .u8(0), .one, .decibel)]),
    ]

    // Table: numbers of the products.
    private static let models: [UInt8: String] = [
        0x01: "CGG1", 0x04: "CGH1", 0x07: "CGG1", 0x09: "CGP1W", 0x0C: "CGD1", 0x0E: "CGDN1", 0x0F: "CGM1",
        0x10: "CGDK2", 0x12: "CGPR1", 0x15: "CGF1W", 0x16: "CGG1", 0x18: "CGP23W", 0x1E: "CGC1", 0x24: "CGDN1",
        0x26: "CGP23W", 0x33: "CGP22C", 0x4F: "CGG3", 0x52: "CGR1PC", 0x5D: "CGP22C", 0x62: "CGR1PC",
    ]

    /// The first byte. Its bit 6 marks an event.
    public var control: UInt8
    /// The number of the product.
    public var product: UInt8
    /// The address of the device.
    public var address: SenderAddress
    /// The objects.
    public var objects: [Object]

    /// Makes a value.
    public init(product: UInt8, address: SenderAddress, objects: [Object], control: UInt8 = 0x08) {
        self.product = product
        self.address = address
        self.objects = objects
        self.control = control
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 8 else { throw ValueDecodingError("qingping", .tooShort(needed: 8), bytes: bytes) }
        control = bytes[0]
        product = bytes[1]
        address = SenderAddress(bytes: bytes[2..<8].reversed())
        objects = []
        var position = 8
        while position < bytes.count {
            guard position + 1 < bytes.count, position + 2 + Int(bytes[position + 1]) <= bytes.count else {
                throw ValueDecodingError("qingping", .lengthBeyondEnd(offset: position + 1), bytes: bytes)
            }
            let end = position + 2 + Int(bytes[position + 1])
            objects.append(Object(bytes[position], Array(bytes[(position + 2)..<end])))
            position = end
        }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        var bytes = [control, product] + address.bytes.reversed()
        for object in objects {
            guard let count = UInt8(exactly: object.bytes.count) else {
                throw ValueEncodingError("qingping", field: "objects", .tooLong)
            }
            bytes += [object.identifier, count] + object.bytes
        }
        return .service(Self.service, bytes)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .qingping, model: Self.models[product])
        reading.identifiers = [SensorIdentifier(.address, .address(address))]
        for object in objects {
            for measurement in object.measurements {
                reading.add(measurement.quantity, measurement.value, measurement.unit)
            }
            switch (object.identifier, object.bytes.count) {
            case (0x04, 1):
                reading.states.append(SensorState(.door, object.bytes[0] == 0 || object.bytes[0] == 2))
                // The door was left open.
                reading.states.append(SensorState(.problem, object.bytes[0] == 2))
            case (0x08, 4):
                reading.states.append(SensorState(.motion, object.bytes[0] != 0))
                if control & 0x40 == 0 {
                    let light = Int(object.bytes[1]) | Int(object.bytes[2]) << 8 | Int(object.bytes[3]) << 16
                    reading.add(.illuminance, Double(light), .lux)
                }
            case (0x11, 1): reading.states.append(SensorState(.light, object.bytes[0] != 0))
            case (0x0F, 1): reading.packetCounter = UInt32(object.bytes[0])
            default: break
            }
        }
        return reading
    }
}
