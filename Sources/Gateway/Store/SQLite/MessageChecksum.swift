import BluetoothValues
import RxBluetooth

/// Detects changed bytes of a row, which SQLite does not: its pages have no checksums.
///
/// Source: FNV-1a with 64 bits. It protects from failures of the disk, not from a person.
struct MessageChecksum {
    private var sum: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The value as SQLite stores it.
    var value: Int64 { Int64(bitPattern: sum) }

    private mutating func add(_ byte: UInt8) { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }

    private mutating func add(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        for byte in text.utf8 { add(byte) }
    }

    /// The checksum of a message. It contains the length of the topic, so that no byte can move to the payload.
    static func of(_ message: StoredPublication) -> Int64 {
        let publication = message.publication
        var sum = MessageChecksum()
        sum.add(message.number)
        sum.add(Int64(publication.topic.utf8.count))
        for byte in publication.topic.utf8 { sum.add(byte) }
        for byte in publication.payload { sum.add(byte) }
        sum.add(publication.qualityOfService)
        sum.add(publication.isRetained ? 1 : 0 as UInt8)
        sum.add(publication.priority.rawValue)
        return sum.value
    }

    /// The checksum of the identifier of a command, and of its arrival.
    static func of(_ identifier: UsedIdentifier, _ arrival: BootTime) -> Int64 {
        var sum = MessageChecksum()
        sum.add(Int64(bitPattern: identifier.address.number))
        sum.add(identifier.id)
        sum.add(Int64(bitPattern: identifier.fingerprint))
        sum.add(arrival.boot)
        sum.add(arrival.seconds)
        return sum.value
    }

    /// The checksum of the time of a confirmation.
    static func of(_ time: BootTime) -> Int64 {
        var sum = MessageChecksum()
        sum.add(time.boot)
        sum.add(time.seconds)
        return sum.value
    }

    /// The checksum of the counter of encrypted packets.
    static func of(_ counter: EncryptedCounter) -> Int64 {
        var sum = MessageChecksum()
        sum.add(Int64(bitPattern: counter.address.number))
        sum.add(counter.format.rawValue)
        sum.add(Int64(counter.value))
        sum.add(counter.before.map { Int64($0) } ?? -1)
        sum.add(counter.isRestartForged ? 1 : 0 as Int64)
        sum.add(counter.keyCheck.map { Int64($0) } ?? -1)
        return sum.value
    }

    /// The checksum of the identity of a store and its highest number.
    static func of(_ identity: String, _ number: Int64) -> Int64 {
        var sum = MessageChecksum()
        for byte in identity.utf8 { sum.add(byte) }
        sum.add(number)
        return sum.value
    }
}
