import BluetoothValues
import Testing

/// Everything that a reading can have, as text.
func lines(of reading: SensorReading) -> [String] {
    var lines = [reading.model ?? reading.format.rawValue]
    lines += reading.measurements.map { "\($0.quantity.rawValue) \($0.value) \($0.unit.symbol)" }
    lines += reading.states.map { "\($0)" } + reading.events.map { "\($0)" } + reading.identifiers.map { "\($0)" }
    lines += reading.texts
    if let battery = reading.battery { lines.append("battery \(battery) %") }
    if let time = reading.timestamp { lines.append("measured at \(time)") }
    if let counter = reading.packetCounter {
        lines.append("packet \(counter)\(reading.isRepeated ? ", repeated" : "")")
    }
    if reading.isEncrypted { lines.append("was encrypted") }
    return lines
}

/// Keys for a new gateway: two devices, and a phone with a changing address.
func storeKeys(in path: String) throws -> KeyStore {
    var keys = KeyStore()
    keys["54:48:E6:8F:80:A5"] = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")
    keys["C0:FF:EE:00:00:13"] = DeviceKey("00112233445566778899aabbccddeeff")
    if let phone = DeviceKey("ec0234a357c8ad05341010a60a397d9b") {
        keys.addIdentity("C0:FF:EE:00:00:14", key: phone)
    }
    try keys.write(newFile: path)
    return try KeyStore(file: path)
}

/// A decoder for a device that begins its packet numbers again after each start.
func tolerantDecoder(_ keys: KeyStore) -> SensorDecoder {
    var decoder = SensorDecoder(keys: keys)
    decoder.restartLimit = 16
    decoder.historyLimit = 1_000
    return decoder
}

/// What a tag sends, and what a decoder makes of it.
func roundTrip(_ tag: RuuviTag) throws -> RuuviTag? {
    let section = try tag.section()
    print("company", section.identifier, "bytes", section.bytes)
    var decoder = SensorDecoder()
    return try decoder.decode(as: RuuviTag.self, section)
}

/// A characteristic by its number, for a table of values without types of your own.
func describe(_ bytes: [UInt8], of uuid: UInt16) throws -> String {
    guard let structure = CharacteristicStructure.structure(of: uuid) else { return "\(bytes)" }
    return "\(structure.name): \(try structure.decode(bytes))"
}

/// A louder headset. The counter is the last byte of Volume State (2B7D).
func louder(_ state: [UInt8]) throws -> [UInt8] {
    try VolumeControlPoint.unmuteAndRaise(counter: state.last ?? 0).encoded()
}

struct ValueExampleTests {
    @Test func `A command is encoded`() throws {
        #expect(try louder([40, 1, 7]) == [0x03, 0x07])
    }

    @Test func `A reading is printed with all its parts`() throws {
        let tag = RuuviTag(temperature: 21.5, humidity: 40, sequence: 7)
        let printed = lines(of: tag.reading)
        #expect(printed.contains("temperature 21.5 °C"))
        #expect(printed.contains("packet 7"))
    }

    @Test func `A format is encoded and decoded`() throws {
        let tag = RuuviTag(temperature: 21.5, humidity: 40)
        #expect(try roundTrip(tag)?.temperature == 21.5)
    }

    @Test func `Keys are stored, and a decoder uses them`() throws {
        let path = "/tmp/keys-\(UInt64.random(in: 0 ... .max))"
        let keys = try storeKeys(in: path)
        #expect(keys.count == 2 && !keys.isEmpty && keys.identities.count == 1)
        var decoder = tolerantDecoder(keys)
        #expect(decoder.identity(of: "C0:FF:EE:00:00:13") == "C0:FF:EE:00:00:13")
        decoder.forgetCounter(of: "C0:FF:EE:00:00:13")
    }

    @Test func `A characteristic is decoded by its number`() throws {
        #expect(try describe([87], of: 0x2A19).contains("87"))
    }
}
