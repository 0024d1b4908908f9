/// BTHome version 2, plain or encrypted: an open format with numbered objects.
///
/// Source: bthome.io, format.
///
/// A decoder ignores what follows an object that it does not know, as the specification requires; those bytes are in
/// ``undecoded``. They also hold an object that the payload cuts off.
public struct BTHome: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.bthome
    /// BTHome's service.
    public static let service: UInt16 = 0xFCD2

    /// The objects, in the order of the payload.
    public var objects: [Object]
    /// Whether the device advertises when something happens, and not at regular intervals.
    public var isTriggerBased: Bool
    /// The counter of the encryption; nil if the payload is not encrypted.
    public var counter: UInt32?
    /// The bytes from the first unknown or incomplete object on.
    public var undecoded: [UInt8] = []

    /// Makes a value. With a counter, it is encoded encrypted.
    public init(_ objects: [Object], isTriggerBased: Bool = false, counter: UInt32? = nil) {
        self.objects = objects
        self.isTriggerBased = isTriggerBased
        self.counter = counter
    }

    /// One object of a payload.
    public struct Object: Hashable, Sendable {
        /// The number of the object's type.
        public let identifier: UInt8
        /// The object's bytes, without identifier and length.
        public let bytes: [UInt8]

        init(identifier: UInt8, bytes: [UInt8]) {
            self.identifier = identifier
            self.bytes = bytes
        }

        /// Makes an object of a known type from its bytes; nil if the type is unknown or has another length.
        public init?(_ identifier: UInt8, bytes: [UInt8]) {
            guard let kind = BTHomeObjects.kind(identifier) else { return nil }
            switch kind.length {
            case .fixed(let count): guard bytes.count == count else { return nil }
            case .counted: guard bytes.count < 256 else { return nil }
            case .command: guard (1...32).contains(bytes.count) else { return nil }
            }
            self.init(identifier: identifier, bytes: bytes)
        }

        /// Makes an object of a type that is a number.
        ///
        /// Throws if the type is another one, or the number does not fit.
        public init(_ identifier: UInt8, number: Double) throws(ValueEncodingError) {
            guard case .number(let field) = BTHomeObjects.kind(identifier)?.content else {
                throw ValueEncodingError("bthome", field: "identifier", .outOfRange)
            }
            let name = field.quantity.rawValue
            let record = Record(field.cell.byteCount, [field])
            do {
                bytes = try record.encode([SensorMeasurement(field.quantity, number, field.unit)], subject: "bthome")
            } catch {
                throw ValueEncodingError("bthome", field: name, error.reason)
            }
            self.identifier = identifier
        }

        /// The number in the object, in the unit of its type; nil if the type is not a number.
        public var number: Double? { measurement?.value }

        /// The measurement in the object; nil if the type is not a number.
        public var measurement: SensorMeasurement? {
            guard case .number(let field) = BTHomeObjects.kind(identifier)?.content,
                let integer = field.cell.read(bytes)
            else { return nil }
            return SensorMeasurement(field.quantity, field.scale.value(integer), field.unit)
        }

        /// A temperature in °C.
        public static func temperature(_ value: Double) throws(ValueEncodingError) -> Object {
            try Object(0x02, number: value)
        }

        /// Relative humidity in percent.
        public static func humidity(_ value: Double) throws(ValueEncodingError) -> Object {
            try Object(0x03, number: value)
        }

        /// The charge of the battery in percent.
        public static func battery(_ value: Double) throws(ValueEncodingError) -> Object {
            try Object(0x01, number: value)
        }

        /// A voltage.
        public static func voltage(_ value: Double) throws(ValueEncodingError) -> Object {
            try Object(0x0C, number: value)
        }

        /// The number of the packet, which marks repetitions.
        public static func packet(_ number: UInt8) -> Object { Object(identifier: 0x00, bytes: [number]) }

        /// A state that is on or off; nil if BTHome has no such state.
        public static func state(_ kind: SensorState.Kind, _ isOn: Bool) -> Object? {
            BTHomeObjects.identifier(of: kind).map { Object(identifier: $0, bytes: [isOn ? 1 : 0]) }
        }

        /// A pressed button; nil stands for a button that was not pressed, before one that was.
        public static func button(_ press: SensorEvent.ButtonPress?) -> Object {
            let code = press.flatMap { press in BTHomeObjects.presses.first { $0.value == press }?.key } ?? 0
            return Object(identifier: 0x3A, bytes: [code])
        }

        /// A dimmer that was turned by steps; negative steps are to the left.
        public static func dimmer(steps: Int) -> Object {
            let size = UInt8(min(255, steps.magnitude))
            return Object(identifier: 0x3C, bytes: steps == 0 ? [0, 0] : [steps < 0 ? 1 : 2, size])
        }

        /// A text of at most 255 bytes; nil if it is longer.
        public static func text(_ text: String) -> Object? { Object(0x53, bytes: Array(text.utf8)) }

        /// A time in seconds since 1970.
        public static func timestamp(_ seconds: UInt32) -> Object {
            Object(identifier: 0x50, bytes: (0..<4).map { UInt8(truncatingIfNeeded: seconds >> UInt32($0 * 8)) })
        }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard let info = bytes.first else { throw ValueDecodingError("bthome", .tooShort(needed: 1), bytes: bytes) }
        guard info >> 5 == 2 else {
            throw ValueDecodingError("bthome", .unsupportedVersion(Int(info >> 5)), bytes: bytes)
        }
        isTriggerBased = info & 4 != 0
        objects = []
        if info & 1 == 0 {
            counter = nil
            try parse(bytes, from: 1, of: bytes)
        } else {
            let (plain, number) = try Self.open(bytes, sender: sender)
            counter = number
            try parse(plain, from: 0, of: bytes)
        }
    }

    private mutating func parse(
        _ plain: [UInt8], from start: Int, of all: [UInt8]
    ) throws(ValueDecodingError) {
        var position = start
        objects.reserveCapacity(plain.count / 3)
        var reason = ValueDecodingError.Reason.tooShort(needed: 2)
        while position < plain.count {
            guard let length = BTHomeObjects.length(plain[position]) else {
                reason = .reservedIdentifier(Int(plain[position]))
                break
            }
            var start = position + 1
            let count: Int
            reason = .lengthBeyondEnd(offset: start)
            switch length {
            case .fixed(let fixed): count = fixed
            case .counted, .command:
                guard start < plain.count else { return try finish(plain, position, reason, all) }
                count = length == .command ? Int(plain[start] & 0x1F) + 1 : Int(plain[start])
                start += 1
            }
            guard start + count <= plain.count else { break }
            objects.append(Object(identifier: plain[position], bytes: Array(plain[start..<(start + count)])))
            position = start + count
        }
        try finish(plain, position, reason, all)
    }

    private mutating func finish(
        _ plain: [UInt8], _ position: Int, _ reason: ValueDecodingError.Reason, _ all: [UInt8]
    ) throws(ValueDecodingError) {
        if position < plain.count, objects.isEmpty { throw ValueDecodingError("bthome", reason, bytes: all) }
        if position < plain.count { undecoded = Array(plain[position...]) }
    }

    // Formula: nonce = address ‖ D2 FC ‖ first byte ‖ counter.
    private static func nonce(_ address: SenderAddress, info: UInt8, counter: some Sequence<UInt8>) -> [UInt8] {
        var nonce: [UInt8] = []
        nonce.reserveCapacity(13)
        address.append(to: &nonce)
        nonce.append(0xD2)
        nonce.append(0xFC)
        nonce.append(info)
        nonce.append(contentsOf: counter)
        return nonce
    }

    private static func open(
        _ bytes: [UInt8], sender: Sender
    ) throws(ValueDecodingError) -> (plain: [UInt8], counter: UInt32) {
        guard bytes.count >= 9 else { throw ValueDecodingError("bthome", .tooShort(needed: 9), bytes: bytes) }
        guard let key = sender.key else { throw ValueDecodingError("bthome", .missingKey, bytes: bytes) }
        guard let cipher = key.cipher else { throw ValueDecodingError("bthome", .unsuitableKey, bytes: bytes) }
        guard let address = sender.address else { throw ValueDecodingError("bthome", .missingAddress, bytes: bytes) }
        let end = bytes.count - 8
        let plain = CCM(cipher: cipher).open(
            bytes[1..<end], tag: bytes[(end + 4)...],
            nonce: nonce(address, info: bytes[0], counter: bytes[end..<(end + 4)]))
        guard let plain else { throw ValueDecodingError("bthome", .wrongKey, bytes: bytes) }
        var counter: UInt32 = 0
        for index in 0..<4 { counter |= UInt32(bytes[end + index]) << UInt32(index * 8) }
        return (plain, counter)
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        var plain: [UInt8] = []
        for object in objects {
            plain.append(object.identifier)
            switch BTHomeObjects.kind(object.identifier)?.length {
            case .counted: plain.append(UInt8(truncatingIfNeeded: object.bytes.count))
            case .command: plain.append(UInt8(truncatingIfNeeded: object.bytes.count - 1))
            default: break
            }
            plain += object.bytes
        }
        plain += undecoded
        let info: UInt8 = 0x40 | (isTriggerBased ? 4 : 0) | (counter == nil ? 0 : 1)
        guard let counter else { return .service(Self.service, [info] + plain) }
        guard let key = sender.key else { throw ValueEncodingError("bthome", field: "key", .missing) }
        guard let cipher = key.cipher else { throw ValueEncodingError("bthome", field: "key", .unsuitableKey) }
        guard let address = sender.address else { throw ValueEncodingError("bthome", field: "address", .missing) }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32($0 * 8)) }
        let nonce = Self.nonce(address, info: info, counter: number)
        guard let result = CCM(cipher: cipher).seal(plain, tagLength: 4, nonce: nonce) else {
            throw ValueEncodingError("bthome", field: "objects", .tooLong)
        }
        return .service(Self.service, [info] + result.sealed + number + result.tag)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .bthome)
        reading.isEncrypted = counter != nil
        reading.packetCounter = counter
        if !undecoded.isEmpty { reading.surplus = undecoded }
        reading.measurements.reserveCapacity(objects.count)
        var buttons = 0
        var dimmers = 0
        for object in objects {
            switch BTHomeObjects.kind(object.identifier)?.content {
            case .number(let field):
                if let integer = field.cell.read(object.bytes) {
                    reading.add(field.quantity, field.scale.value(integer), field.unit)
                }
            case .state(let kind): reading.states.append(SensorState(kind, object.bytes[0] != 0))
            case .packet: reading.packetCounter = counter ?? UInt32(object.bytes[0])
            case .button:
                buttons += 1
                if let event = BTHomeObjects.event(object.bytes[0], ofButton: buttons) { reading.events.append(event) }
            case .dimmer:
                dimmers += 1
                let steps = Int(object.bytes[1])
                switch object.bytes[0] {
                case 0: break
                case 1: reading.events.append(.dimmer(index: dimmers, steps: -steps))
                case 2: reading.events.append(.dimmer(index: dimmers, steps: steps))
                default: reading.events.append(.other("dimmer \(dimmers)", code: Int(object.bytes[0])))
                }
            case .command: reading.events.append(.other("command", code: Int(object.bytes[0])))
            case .text: reading.texts.append(String(decoding: object.bytes, as: UTF8.self))
            case .raw: reading.texts.append(HexText.text(object.bytes))
            case .timestamp:
                reading.timestamp = Cell.u32(0).read(object.bytes)
            case .deviceType:
                reading.identifiers.append(SensorIdentifier(.product, .bytes(Array(object.bytes.reversed()))))
            case .firmware:
                let version = object.bytes.reversed().map { String($0) }.joined(separator: ".")
                reading.identifiers.append(SensorIdentifier(.firmware, version))
            case nil: break
            }
        }
        return reading
    }
}
