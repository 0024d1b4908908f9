/// Xiaomi MiBeacon: a header and objects, plain or encrypted (version 4 and 5, or legacy).
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct MiBeacon: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.miBeacon
    /// Xiaomi's service.
    public static let service: UInt16 = 0xFE95

    /// The number of the product.
    public var product: UInt16
    /// The number of the frame.
    public var frameCounter: UInt8
    /// The version of the protocol: 2 to 5.
    public var version: UInt8
    /// The address in the frame; nil if the sender's address is that of the device.
    public var address: SenderAddress?
    /// The capability byte, and two more bytes if its bit 5 is set; empty if it is absent.
    ///
    /// The two bytes describe inputs and outputs.
    public var capability: [UInt8] = []
    /// The objects.
    public var objects: [Object]
    /// The counter of the encryption, 24 bits; nil if the frame is not encrypted.
    public var encryptionCounter: UInt32?
    /// The bytes after the last complete object. Some thermometers send one.
    public var undecoded: [UInt8] = []
    /// The last byte of a frame with legacy encryption.
    public var legacyTrailer: UInt8 = 0
    /// The bits of the frame control that this type has no property for.
    public var otherControl: UInt16 = 0

    /// Makes a frame. With an encryption counter, it is encoded encrypted.
    public init(
        product: UInt16, objects: [Object], frameCounter: UInt8 = 0, version: UInt8 = 5, address: SenderAddress? = nil,
        encryptionCounter: UInt32? = nil
    ) {
        self.product = product
        self.objects = objects
        self.frameCounter = frameCounter
        self.version = version
        self.address = address
        self.encryptionCounter = encryptionCounter
    }

    /// One object of a frame.
    public struct Object: Hashable, Sendable {
        /// The number of the object's type.
        public var identifier: UInt16
        /// The object's bytes.
        public var bytes: [UInt8]

        /// Makes an object of any type.
        public init(_ identifier: UInt16, _ bytes: [UInt8]) {
            self.identifier = identifier
            self.bytes = bytes
        }

        /// Makes an object of a type with measurements. Throws if the type has others.
        public init(_ identifier: UInt16, _ measurements: [SensorMeasurement]) throws(ValueEncodingError) {
            guard let record = MiBeaconObjects.records[identifier] else {
                throw ValueEncodingError("mibeacon", field: "identifier", .outOfRange)
            }
            self.init(identifier, try record.encode(measurements, subject: "mibeacon"))
        }

        /// The measured values; empty for another type or length.
        public var measurements: [SensorMeasurement] {
            guard let record = MiBeaconObjects.records[identifier], record.length == bytes.count else { return [] }
            return record.decode(bytes) ?? []
        }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service
    }

    /// Bits of the frame control.
    private enum Control {
        static let encrypted: UInt16 = 0x0008
        static let address: UInt16 = 0x0010
        static let capability: UInt16 = 0x0020
        static let object: UInt16 = 0x0040
        static let known: UInt16 = 0xF078
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 5 else { throw ValueDecodingError("mibeacon", .tooShort(needed: 5), bytes: bytes) }
        let control = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        version = UInt8(control >> 12)
        otherControl = control & ~Control.known
        product = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        frameCounter = bytes[4]
        objects = []
        var position = 5
        func need(_ count: Int) throws(ValueDecodingError) {
            if position + count > bytes.count {
                throw ValueDecodingError("mibeacon", .tooShort(needed: position + count), bytes: bytes)
            }
        }
        if control & Control.address != 0 {
            try need(6)
            address = SenderAddress(bytes: bytes[position..<(position + 6)].reversed())
            position += 6
        }
        if control & Control.capability != 0 {
            try need(1)
            let count = bytes[position] & 0x20 == 0 ? 1 : 3
            try need(count)
            capability = Array(bytes[position..<(position + count)])
            position += count
        }
        guard control & Control.object != 0 else { return }
        guard control & Control.encrypted != 0 else {
            try parse(bytes, from: position, of: bytes)
            return
        }
        let plain = try open(position, bytes, sender: sender)
        do {
            try parse(plain, from: 0, of: bytes)
        } catch {
            throw ValueDecodingError("mibeacon", version < 4 ? .wrongKey : error.reason, bytes: bytes)
        }
        // Legacy encryption has no tag: only malformed objects show that the key is wrong.
        if version < 4, !undecoded.isEmpty { throw ValueDecodingError("mibeacon", .wrongKey, bytes: bytes) }
    }

    private mutating func parse(_ plain: [UInt8], from start: Int, of all: [UInt8]) throws(ValueDecodingError) {
        objects.reserveCapacity((plain.count - start) / 4)
        var position = start
        while position < plain.count {
            guard position + 2 < plain.count, position + 3 + Int(plain[position + 2]) <= plain.count else {
                guard !objects.isEmpty else {
                    throw ValueDecodingError("mibeacon", .lengthBeyondEnd(offset: position + 2), bytes: all)
                }
                undecoded = Array(plain[position...])
                return
            }
            let end = position + 3 + Int(plain[position + 2])
            let identifier = UInt16(plain[position]) | UInt16(plain[position + 1]) << 8
            objects.append(Object(identifier, Array(plain[(position + 3)..<end])))
            position = end
        }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard (2...5).contains(version) else { throw ValueEncodingError("mibeacon", field: "version", .outOfRange) }
        guard capability.count == 0 || capability.count == (capability[0] & 0x20 == 0 ? 1 : 3) else {
            throw ValueEncodingError("mibeacon", field: "capability", .outOfRange)
        }
        let isEncrypted = encryptionCounter != nil
        var control = UInt16(version) << 12 | (otherControl & ~Control.known)
        if address != nil { control |= Control.address }
        if !capability.isEmpty { control |= Control.capability }
        if !objects.isEmpty || isEncrypted { control |= Control.object }
        if isEncrypted { control |= Control.encrypted }
        var plain: [UInt8] = []
        for object in objects {
            guard let count = UInt8(exactly: object.bytes.count) else {
                throw ValueEncodingError("mibeacon", field: "objects", .tooLong)
            }
            plain += [UInt8(truncatingIfNeeded: object.identifier), UInt8(object.identifier >> 8), count]
            plain += object.bytes
        }
        guard undecoded.isEmpty || !objects.isEmpty else {
            throw ValueEncodingError("mibeacon", field: "undecoded", .contradiction)
        }
        plain += undecoded
        let header = [control, control >> 8, product, product >> 8].map { UInt8(truncatingIfNeeded: $0) }
        let start = header + [frameCounter] + (address?.bytes.reversed() ?? []) + capability
        guard isEncrypted else { return .service(Self.service, start + plain) }
        return .service(Self.service, start + (try seal(plain, header: header, sender: sender)))
    }
}

// MARK: - Encryption

extension MiBeacon {
    // Formula: legacy nonce = first five bytes ‖ counter ‖ first five bytes of the address as sent.
    // Formula: nonce = address as sent ‖ product ‖ frame counter ‖ counter.
    private func nonce(_ start: [UInt8], _ address: SenderAddress, _ counter: [UInt8]) -> [UInt8] {
        var nonce: [UInt8] = []
        nonce.reserveCapacity(14)
        if version < 4 {
            nonce += start
            nonce += counter
            address.append(to: &nonce, reversed: true)
            nonce.removeLast()
        } else {
            address.append(to: &nonce, reversed: true)
            nonce += start[2..<5]
            nonce += counter
        }
        return nonce
    }

    private mutating func open(
        _ position: Int, _ bytes: [UInt8], sender: Sender
    ) throws(ValueDecodingError) -> [UInt8] {
        func failure(_ reason: ValueDecodingError.Reason) -> ValueDecodingError {
            ValueDecodingError("mibeacon", reason, bytes: bytes)
        }
        let tail = version < 4 ? 4 : 7
        guard bytes.count >= position + tail else { throw failure(.tooShort(needed: position + tail)) }
        guard let key = sender.key else { throw failure(.missingKey) }
        guard let cipher = version < 4 ? key.legacyCipher : key.cipher else {
            throw failure(.unsuitableKey)
        }
        guard let device = address ?? sender.address else { throw failure(.missingAddress) }
        let end = bytes.count - tail
        let sealed = bytes[position..<end]
        let counter = Array(bytes[end..<(end + 3)])
        encryptionCounter = UInt32(counter[0]) | UInt32(counter[1]) << 8 | UInt32(counter[2]) << 16
        let nonce = nonce(Array(bytes[0..<5]), device, counter)
        if version < 4 {
            legacyTrailer = bytes[bytes.count - 1]
            return CCM(cipher: cipher).counterMode(Array(sealed), nonce: nonce)
        }
        let plain = CCM(cipher: cipher).open(
            sealed, tag: bytes[(end + 3)...], nonce: nonce, authenticated: [0x11])
        guard let plain else { throw failure(.wrongKey) }
        return plain
    }

    private func seal(_ plain: [UInt8], header: [UInt8], sender: Sender) throws(ValueEncodingError) -> [UInt8] {
        guard let number = encryptionCounter, number < 1 << 24 else {
            throw ValueEncodingError("mibeacon", field: "encryptionCounter", .outOfRange)
        }
        guard let key = sender.key else { throw ValueEncodingError("mibeacon", field: "key", .missing) }
        guard let cipher = version < 4 ? key.legacyCipher : key.cipher else {
            throw ValueEncodingError("mibeacon", field: "key", .unsuitableKey)
        }
        guard let device = address ?? sender.address else {
            throw ValueEncodingError("mibeacon", field: "address", .missing)
        }
        let counter = (0..<3).map { UInt8(truncatingIfNeeded: number >> UInt32($0 * 8)) }
        let nonce = nonce(header + [frameCounter], device, counter)
        if version < 4 { return CCM(cipher: cipher).counterMode(plain, nonce: nonce) + counter + [legacyTrailer] }
        guard let result = CCM(cipher: cipher).seal(plain, tagLength: 4, nonce: nonce, authenticated: [0x11]) else {
            throw ValueEncodingError("mibeacon", field: "objects", .tooLong)
        }
        return result.sealed + counter + result.tag
    }
}

// MARK: - Reading

extension MiBeacon {
    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .miBeacon, model: MiBeaconObjects.models[product])
        reading.isEncrypted = encryptionCounter != nil
        if !undecoded.isEmpty { reading.surplus = undecoded }
        reading.packetCounter = encryptionCounter.map { $0 << 8 | UInt32(frameCounter) } ?? UInt32(frameCounter)
        reading.identifiers.reserveCapacity(2)
        reading.identifiers.append(
            SensorIdentifier(.product, .bytes([UInt8(product >> 8), UInt8(truncatingIfNeeded: product)])))
        if let address { reading.identifiers.append(SensorIdentifier(.address, .address(address))) }
        reading.measurements.reserveCapacity(objects.count + 1)
        for object in objects { MiBeaconObjects.add(object, product: product, to: &reading) }
        return reading
    }
}
