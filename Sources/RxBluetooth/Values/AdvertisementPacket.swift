/// Walks over the AD structures of one packet, without allocating memory.
///
/// A structure is a length, a type and data. A length of zero ends the structures. A structure that is longer than the
/// rest of the packet is ignored with that rest.
///
/// Source: Core Specification 5.4, Vol 3, Part C, 11.
struct ADStructureWalk {
    private var position: Int
    private let end: Int
    /// The flaws that the walk has found so far.
    private(set) var flaws = PacketFlaws()

    /// The type of a structure, and the place of its data in the packet.
    struct Structure {
        let type: UInt8
        let data: Range<Int>
    }

    /// Makes a walk over a part of a buffer. The part must lie within the buffer.
    init(_ packet: Range<Int>) {
        position = packet.lowerBound
        end = packet.upperBound
    }

    /// Returns the next structure; nil at the end. Each call needs the same buffer.
    mutating func next(in buffer: [UInt8]) -> Structure? {
        guard position < end else { return nil }
        let length = Int(buffer[position])
        let start = position + 1
        guard length > 0 else {
            // Zeros fill the rest of a packet. Other bytes after a length of zero cannot be read.
            if !buffer[start..<end].allSatisfy({ $0 == 0 }) { flaws.insert(.zeroLength) }
            position = end
            return nil
        }
        guard length <= end - start else {
            flaws.insert(.truncated)
            position = end
            return nil
        }
        position = start + length
        return Structure(type: buffer[start], data: start + 1..<position)
    }
}

/// The flaws of a packet. They do not prevent reading its other structures.
package struct PacketFlaws: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A structure is longer than the rest of the packet.
    package static let truncated = PacketFlaws(rawValue: 1)
    /// A structure of length zero is followed by other bytes than zeros.
    package static let zeroLength = PacketFlaws(rawValue: 2)
    /// The data of a structure is shorter than its type requires, or is no list of whole UUIDs.
    package static let wrongLength = PacketFlaws(rawValue: 4)
    /// A type that may occur once occurs again. The last structure counts.
    ///
    /// This is normal if the kernel reports an advertisement together with its scan response.
    package static let repeated = PacketFlaws(rawValue: 8)
    /// A service was ignored, because the device has advertised too many different ones.
    package static let tooManyServices = PacketFlaws(rawValue: 16)

    /// Whether the packet violates the specification.
    package var isMalformed: Bool { rawValue & ~Self.repeated.rawValue != 0 }
}

/// The numbers of AD types. Source: Bluetooth SIG, Assigned Numbers, 2.3.
enum ADType {
    static let flags: UInt8 = 0x01
    static let shortenedName: UInt8 = 0x08
    static let completeName: UInt8 = 0x09
    static let txPower: UInt8 = 0x0A
    static let serviceData16: UInt8 = 0x16
    static let appearance: UInt8 = 0x19
    static let serviceData32: UInt8 = 0x20
    static let serviceData128: UInt8 = 0x21
    static let manufacturerData: UInt8 = 0xFF
}

extension AdvertisedValues {
    /// Replaces the raw data, and applies a packet. See ``apply(_:_:)``.
    mutating func take(_ buffer: [UInt8], _ packet: Range<Int>) -> PacketFlaws {
        rawData = Array(buffer[packet])
        return apply(buffer, packet)
    }

    /// Updates the values that a packet contains, as bluetoothd does, and returns the flaws of the packet.
    ///
    /// Manufacturer data and service data replace the earlier data, and services are added to the earlier list. Values
    /// that the packet does not contain stay as they are.
    ///
    /// Source: BlueZ 5.66, `eir_parse`, `btd_adapter_device_found`.
    mutating func apply(_ buffer: [UInt8], _ packet: Range<Int>) -> PacketFlaws {
        var walk = ADStructureWalk(packet)
        var fields = PacketFields()
        while let structure = walk.next(in: buffer) {
            fields.apply(structure.type, buffer, structure.data, to: &self)
        }
        return walk.flaws.union(fields.flaws)
    }
}

extension AdvertisementData {
    /// Updates the values that a packet contains. See ``AdvertisedValues/apply(_:_:)``.
    package mutating func apply(_ buffer: [UInt8], _ packet: Range<Int>) -> PacketFlaws {
        values.apply(buffer, packet)
    }
}

/// Applies the structures of one packet one after another.
private struct PacketFields {
    private(set) var flaws = PacketFlaws()
    /// The types that have occurred, of those that may occur once. Each has a bit.
    private var present: UInt8 = 0
    private var hasManufacturerData = false
    private var hasServiceData = false
    /// The most services of a device, because those of all its packets are kept.
    private static let mostServices = 128

    mutating func apply(_ type: UInt8, _ buffer: [UInt8], _ data: Range<Int>, to values: inout AdvertisedValues) {
        switch type {
        case ADType.flags where isLong(data, 1):
            markPresent(1)
            values.flags = Array(buffer[data])
        case 0x02, 0x03: list(2, buffer, data, &values)
        case 0x04, 0x05: list(4, buffer, data, &values)
        case 0x06, 0x07: list(16, buffer, data, &values)
        case ADType.shortenedName, ADType.completeName:
            markPresent(2)
            values.takeName(buffer, data, isComplete: type == ADType.completeName)
        case ADType.txPower where isLong(data, 1):
            markPresent(4)
            let power = Int8(bitPattern: buffer[data.lowerBound])
            // 127 is no power, as in bluetoothd.
            if power != 127 { values.txPowerLevel = Int(power) }
        case ADType.appearance where isLong(data, 2):
            markPresent(8)
            let appearance = buffer.word(data.lowerBound)
            if appearance != 0 { values.appearance = appearance }
        case ADType.manufacturerData where isLong(data, 2):
            let company = buffer.word(data.lowerBound)
            let bytes = Array(buffer[data.lowerBound + 2..<data.upperBound])
            if !hasManufacturerData { values.manufacturers = .empty }
            values.manufacturers.insert(bytes, for: company)
            hasManufacturerData = true
        case ADType.serviceData16: serviceData(2, buffer, data, &values)
        case ADType.serviceData32: serviceData(4, buffer, data, &values)
        case ADType.serviceData128: serviceData(16, buffer, data, &values)
        default: break
        }
    }

    /// Returns whether data has at least the length that its type requires.
    private mutating func isLong(_ data: Range<Int>, _ least: Int) -> Bool {
        if data.count < least { flaws.insert(.wrongLength) }
        return data.count >= least
    }

    private mutating func markPresent(_ bit: UInt8) {
        if present & bit != 0 { flaws.insert(.repeated) }
        present |= bit
    }

    private mutating func list(
        _ width: Int, _ buffer: [UInt8], _ data: Range<Int>, _ values: inout AdvertisedValues
    ) {
        if !data.count.isMultiple(of: width) { flaws.insert(.wrongLength) }
        var position = data.lowerBound
        while data.upperBound - position >= width {
            let service = buffer.uuid(position, width)
            position += width
            if values.serviceUUIDs.contains(service) { continue }
            if values.serviceUUIDs.count < Self.mostServices {
                values.serviceUUIDs.append(service)
            } else {
                flaws.insert(.tooManyServices)
            }
        }
    }

    private mutating func serviceData(
        _ width: Int, _ buffer: [UInt8], _ data: Range<Int>, _ values: inout AdvertisedValues
    ) {
        guard isLong(data, width) else { return }
        let service = buffer.uuid(data.lowerBound, width)
        let bytes = Array(buffer[data.lowerBound + width..<data.upperBound])
        if !hasServiceData { values.services = .empty }
        values.services.insert(bytes, for: service)
        hasServiceData = true
    }
}

extension AdvertisedValues {
    /// Sets the name, unless it is a shortened one and a name is known.
    fileprivate mutating func takeName(_ buffer: [UInt8], _ data: Range<Int>, isComplete: Bool) {
        let bytes = buffer[data].prefix { $0 != 0 }
        // The present name is compared first: most packets repeat it, and comparing creates no text.
        if let localName, !isComplete || localName.utf8.elementsEqual(bytes) { return }
        let name =
            String(validating: bytes, as: UTF8.self)
            ?? String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
        guard let trimmed = DeviceRecord.trimmed(name), trimmed != localName else { return }
        localName = trimmed
    }
}

extension [UInt8] {
    /// Returns the little-endian number of two bytes at a position.
    func word(_ position: Int) -> UInt16 { UInt16(self[position]) | UInt16(self[position + 1]) << 8 }

    /// Returns the UUID of 2, 4 or 16 bytes at a position, which is sent with its last byte first.
    fileprivate func uuid(_ position: Int, _ width: Int) -> BluetoothUUID {
        func number(_ start: Int, _ count: Int) -> UInt64 {
            var number: UInt64 = 0
            for index in stride(from: start + count - 1, through: start, by: -1) {
                number = number << 8 | UInt64(self[index])
            }
            return number
        }
        guard width == 16 else { return BluetoothUUID(UInt32(truncatingIfNeeded: number(position, width))) }
        return BluetoothUUID(high: number(position + 8, 8), low: number(position, 8))
    }
}
