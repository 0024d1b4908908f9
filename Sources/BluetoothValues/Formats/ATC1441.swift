/// The firmware ATC1441 for Xiaomi thermometers, plain or encrypted.
///
/// The encrypted form has no address and no voltage, and steps of 0.5.
/// Source: published decoders and known payloads, not the vendor's document.
public struct ATC1441: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.atc1441
    /// The Environmental Sensing service.
    public static let service: UInt16 = 0x181A

    /// Temperature in °C, in steps of 0.1; encrypted, in steps of 0.5.
    public var temperature: Double?
    /// Relative humidity in percent, in steps of 1; encrypted, in steps of 0.5.
    public var humidity: Double?
    /// The charge of the battery in percent.
    public var battery: Double?
    /// The battery's voltage; nil in the encrypted form.
    public var voltage: Double?
    /// The number of the packet, modulo 256.
    public var counter = 0
    /// The address in the payload; nil in the encrypted form.
    public var address: SenderAddress?
    /// Whether the payload is encrypted.
    public var isEncrypted = false
    /// The state of the trigger. Encrypted form only.
    public var trigger = false

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double, humidity: Double, battery: Double, voltage: Double?, counter: Int = 0) {
        self.temperature = temperature
        self.humidity = humidity
        self.battery = battery
        self.voltage = voltage
        self.counter = counter
    }

    static let layout = Layout<ATC1441>(
        "atc1441", length: 13,
        [
            .address(\.address, .u48(0).bigEndian),
            .number(\.temperature, .s16(6).bigEndian, .tenth, .temperature, .celsius),
            .number(\.humidity, .u8(8), .one, .humidity, .percent),
            .number(\.battery, .u8(9), .one, .batteryLevel, .percent),
            .number(\.voltage, .u16(10).bigEndian, .thousandth, .voltage, .volt),
            .integer("counter", \.counter, .u8(12)),
        ])

    static let encryptedLayout = Layout<ATC1441>(
        "atc1441", length: 3,
        [
            .number(\.temperature, .u8(0), .over(2).plus(-80), .temperature, .celsius),
            .number(\.humidity, .u8(1), .over(2), .humidity, .percent),
            .number(\.battery, .bits(2, from: 0, count: 7), .one, .batteryLevel, .percent),
            .flag("trigger", \.trigger, 2, bit: 7),
        ])

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service && [8, 13].contains(section.bytes.count)
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        if bytes.count == 8 {
            let plain = try ThermometerCipher.open(bytes, subject: "atc1441", sender: sender)
            self = try Self.encryptedLayout.decode(plain, of: bytes)
            counter = Int(bytes[0])
            isEncrypted = true
        } else {
            self = try Self.layout.decode(bytes)
        }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard isEncrypted else {
            var value = self
            value.address = address ?? sender.address ?? SenderAddress(0)
            return .service(Self.service, try Self.layout.encode(value))
        }
        let plain = try Self.encryptedLayout.encode(self)
        return .service(
            Self.service,
            try ThermometerCipher.seal(plain, counter: counter, subject: "atc1441", sender: sender))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .atc1441, model: "ATC1441")
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
