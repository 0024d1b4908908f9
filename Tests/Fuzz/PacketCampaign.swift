import RxBluetooth

/// A series of mutated events of the management socket. The seed and its number determine a case.
struct PacketCampaign: Sendable {
    let seed: UInt64
    /// The well-formed event that is read after each mutated one.
    private static let good = event([0x02, 0x01, 0x06, 0x04, 0xFF, 0x59, 0x00, 0x2A])

    /// Reads the events one after another from one buffer, as the library does.
    func run(_ cases: Range<Int>) -> PacketTally {
        var tally = PacketTally()
        var buffer = [UInt8](repeating: 0xA5, count: 512)
        for number in cases {
            var dice = Dice(seed: seed, case: number)
            let event = Self.mutant(&dice)
            Self.check(event, &buffer, &tally)
            Self.checkGood(&buffer, &tally)
            tally.cases += 1
        }
        return tally
    }

    // MARK: Checks

    private static func check(_ event: [UInt8], _ buffer: inout [UInt8], _ tally: inout PacketTally) {
        for index in event.indices { buffer[index] = event[index] }
        switch DeviceFound.read(buffer, event.count) {
        case .otherEvent: tally.otherEvents += 1
        case .malformed: tally.malformedEvents += 1
        case .found(let found):
            tally.found += 1
            guard found.packet.upperBound <= event.count else {
                return tally.find("a packet outside of its event: \(event)")
            }
            var data = AdvertisementData()
            let flaws = data.apply(buffer, found.packet)
            tally.count(flaws)
            let packet = Array(event[found.packet])
            let alone = AdvertisementData(packet: packet)
            // The rest of the buffer must not matter: it contains bytes of earlier events.
            if data.serviceUUIDs != alone.serviceUUIDs || data.manufacturerData != alone.manufacturerData
                || data.serviceData != alone.serviceData || data.localName != alone.localName
            {
                tally.find("a packet that reads differently in a longer buffer: \(packet)")
            }
            if alone.structures != structures(of: packet) { tally.find("other structures: \(packet)") }
            // Reading a packet again changes nothing.
            let once = data
            _ = data.apply(buffer, found.packet)
            if data != once { tally.find("a packet that reads differently the second time: \(packet)") }
        }
    }

    private static func checkGood(_ buffer: inout [UInt8], _ tally: inout PacketTally) {
        for index in good.indices { buffer[index] = good[index] }
        guard case .found(let found) = DeviceFound.read(buffer, good.count), found.rssi == -60,
            found.address == "C0:FF:EE:00:00:01"
        else { return tally.find("a well-formed event that is not read") }
        var data = AdvertisementData()
        if data.apply(buffer, found.packet) != [] || data.manufacturerData != [0x59: [0x2A]] || data.flags != [6] {
            tally.find("a well-formed packet that is read wrongly")
        }
    }

    /// Reads the structures in another way than the library, to compare.
    private static func structures(of packet: [UInt8]) -> [ADStructure] {
        var rest = packet[...]
        var structures: [ADStructure] = []
        while let length = rest.popFirst(), length > 0, rest.count >= Int(length) {
            let structure = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            structures.append(ADStructure(type: structure.first ?? 0, bytes: Array(structure.dropFirst())))
        }
        return structures
    }

    // MARK: Events

    /// Returns the event Device Found, or the one for monitors, which has a handle before the other fields.
    private static func event(_ packet: [UInt8], isForMonitors: Bool = false) -> [UInt8] {
        let handle: [UInt8] = isForMonitors ? [7, 0] : []
        let length = handle.count + 14 + packet.count
        var event: [UInt8] = [isForMonitors ? 0x2F : 0x12, 0, 0, 0, UInt8(length & 255), UInt8(length >> 8)]
        event += handle
        event += [1, 0, 0, 0xEE, 0xFF, 0xC0, 2, 0xC4, 0, 0, 0, 0]
        event += [UInt8(packet.count & 255), UInt8(packet.count >> 8)]
        return event + packet
    }

    private static let types: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x16, 0x19, 0x20, 0x21, 0xFF, 0x2D, 0x00,
    ]

    private static func mutant(_ dice: inout Dice) -> [UInt8] {
        var packet: [UInt8] = []
        for _ in 0..<dice.roll(7) {
            let count = dice.chance(80) ? dice.roll(12) : dice.roll(40)
            packet.append(UInt8(count + 1))
            packet.append(types[dice.roll(types.count)])
            for _ in 0..<count { packet.append(UInt8(truncatingIfNeeded: dice.next())) }
        }
        // Lengths beyond the packet, lengths of zero and missing ends.
        if dice.chance(30), !packet.isEmpty { packet[dice.roll(packet.count)] = dice.chance(50) ? 0 : 0xFF }
        if dice.chance(20) { packet.removeLast(dice.roll(packet.count + 1)) }
        if dice.chance(20) { packet += [UInt8](repeating: 0, count: dice.roll(8)) }
        var event = event(packet, isForMonitors: dice.chance(30))
        if dice.chance(10) { event.removeLast(dice.roll(event.count)) }
        if dice.chance(10) { event[dice.roll(min(20, event.count))] = UInt8(truncatingIfNeeded: dice.next()) }
        if dice.chance(5) { event += [1, 2, 3] }
        return event
    }
}

/// Counts of the cases of a ``PacketCampaign``, and its findings.
struct PacketTally: Sendable {
    var cases = 0
    /// The number of events by kind.
    var found = 0, otherEvents = 0, malformedEvents = 0
    /// The number of packets with each flaw.
    var truncated = 0, zeroLength = 0, wrongLength = 0, repeated = 0
    /// Descriptions of the failed checks.
    var findings: [String] = []

    mutating func count(_ flaws: PacketFlaws) {
        if flaws.contains(.truncated) { truncated += 1 }
        if flaws.contains(.zeroLength) { zeroLength += 1 }
        if flaws.contains(.wrongLength) { wrongLength += 1 }
        if flaws.contains(.repeated) { repeated += 1 }
    }

    mutating func find(_ what: String) {
        if findings.count < 20 { findings.append(what) }
    }

    static func += (one: inout PacketTally, other: PacketTally) {
        one.cases += other.cases
        one.found += other.found
        one.otherEvents += other.otherEvents
        one.malformedEvents += other.malformedEvents
        one.truncated += other.truncated
        one.zeroLength += other.zeroLength
        one.wrongLength += other.wrongLength
        one.repeated += other.repeated
        one.findings += other.findings
    }

    /// The counts in one line.
    var text: String {
        "\(cases) events: \(found) packets, \(otherEvents) other and \(malformedEvents) malformed events; "
            + "packets that are truncated \(truncated), with a length of zero \(zeroLength), "
            + "of a wrong length \(wrongLength), with repetitions \(repeated)"
    }
}
