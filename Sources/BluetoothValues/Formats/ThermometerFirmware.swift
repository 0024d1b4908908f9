/// A firmware for Xiaomi thermometers with a plain layout, and an encrypted one after a byte that counts packets.
protocol ThermometerFirmware: AdvertisementFormat, TableFormat {
    static var layout: Layout<Self> { get }
    static var encryptedLayout: Layout<Self> { get }
    var counter: Int { get set }
    var address: SenderAddress? { get set }
    var isEncrypted: Bool { get set }
}

extension ThermometerFirmware {
    // The counter and the tag are not in the layout.
    private static var encryptedCount: Int { encryptedLayout.length.upperBound + 5 }

    static func decode(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) -> Self {
        let bytes = section.bytes
        guard bytes.count == encryptedCount else { return try layout.decode(bytes) }
        let plain = try ThermometerCipher.open(bytes, subject: format.rawValue, sender: sender)
        var value = try encryptedLayout.decode(plain, of: bytes)
        value.counter = Int(bytes[0])
        value.isEncrypted = true
        return value
    }

    func encode(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard isEncrypted else {
            var value = self
            value.address = address ?? sender.address ?? SenderAddress(0)
            return .service(0x181A, try Self.layout.encode(value))
        }
        let plain = try Self.encryptedLayout.encode(self)
        let subject = Self.format.rawValue
        return .service(
            0x181A, try ThermometerCipher.seal(plain, counter: counter, subject: subject, sender: sender))
    }

    func reading(model: String) -> SensorReading {
        var reading = SensorReading(format: Self.format, model: model)
        (isEncrypted ? Self.encryptedLayout : Self.layout).add(self, to: &reading)
        reading.packetCounter = UInt32(truncatingIfNeeded: counter)
        reading.isEncrypted = isEncrypted
        if let address { reading.identifiers = [SensorIdentifier(.address, .address(address))] }
        return reading
    }
}

/// The encryption of the firmwares ATC1441 and pvvx: AES-CCM with a tag of four bytes.
enum ThermometerCipher {
    // Formula: nonce = address in reverse ‖ length of the AD structure ‖ 16 ‖ 1A 18 ‖ counter.
    private static func nonce(_ address: SenderAddress, count: Int, counter: UInt8) -> [UInt8] {
        var nonce: [UInt8] = []
        nonce.reserveCapacity(11)
        address.append(to: &nonce, reversed: true)
        for byte in [UInt8(truncatingIfNeeded: count + 3), 0x16, 0x1A, 0x18, counter] { nonce.append(byte) }
        return nonce
    }

    static func open(_ bytes: [UInt8], subject: String, sender: Sender) throws(ValueDecodingError) -> [UInt8] {
        guard bytes.count > 5 else { throw ValueDecodingError(subject, .tooShort(needed: 6), bytes: bytes) }
        guard let key = sender.key else { throw ValueDecodingError(subject, .missingKey, bytes: bytes) }
        guard let cipher = key.cipher else { throw ValueDecodingError(subject, .unsuitableKey, bytes: bytes) }
        guard let address = sender.address else { throw ValueDecodingError(subject, .missingAddress, bytes: bytes) }
        let plain = CCM(cipher: cipher).open(
            bytes[1..<(bytes.count - 4)], tag: bytes.suffix(4),
            nonce: nonce(address, count: bytes.count, counter: bytes[0]), authenticated: [0x11])
        guard let plain else { throw ValueDecodingError(subject, .wrongKey, bytes: bytes) }
        return plain
    }

    static func seal(
        _ plain: [UInt8], counter: Int, subject: String, sender: Sender
    ) throws(ValueEncodingError) -> [UInt8] {
        guard let key = sender.key else { throw ValueEncodingError(subject, field: "key", .missing) }
        guard let cipher = key.cipher else { throw ValueEncodingError(subject, field: "key", .unsuitableKey) }
        guard let address = sender.address else { throw ValueEncodingError(subject, field: "address", .missing) }
        guard let number = UInt8(exactly: counter) else {
            throw ValueEncodingError(subject, field: "counter", .outOfRange)
        }
        let nonce = nonce(address, count: plain.count + 5, counter: number)
        guard let result = CCM(cipher: cipher).seal(plain, tagLength: 4, nonce: nonce, authenticated: [0x11]) else {
            throw ValueEncodingError(subject, field: "payload", .tooLong)
        }
        return [number] + result.sealed + result.tag
    }
}
