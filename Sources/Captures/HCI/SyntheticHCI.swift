/// Makes the packets that a controller would have sent or received, from what a program saw.
package enum SyntheticHCI {
    /// The handle of the only link of a recording.
    package static let handle: UInt16 = 0x0040

    private static let longestLegacyData = 31
    /// The longest data of one extended report: an event has at most 255 bytes, of which 26 precede the data.
    private static let longestExtendedData = 229

    /// Returns the events for one advertisement: a legacy report, or extended reports if the data is too long for it.
    package static func advertisement(_ report: AdvertisingReport) -> [[UInt8]] {
        let rssi = UInt8(bitPattern: Int8(clamping: report.rssi ?? 127))
        let address = [report.device.isRandom ? 1 : 0] + report.device.bytes.reversed()
        let isConnectable = report.isConnectable ?? true
        guard report.data.count > longestLegacyData else {
            let kind: UInt8 = isConnectable ? 0 : 3
            let data = [UInt8(report.data.count)] + report.data
            return [event(0x3E, [0x02, 1, kind] + address + data + [rssi])]
        }
        var parts = ADStructures.parts(of: report.data, longest: longestExtendedData)[...]
        var events: [[UInt8]] = []
        while let part = parts.popFirst() {
            var body: [UInt8] = [0x0D, 1]
            body.append(number: UInt16(isConnectable ? 1 : 0) | (parts.isEmpty ? 0 : 1 << 5))
            body += address
            // Primary and secondary PHY LE 1M, no advertising set, and an unknown transmit power.
            body += [1, 1, 0xFF, 127, rssi, 0, 0]
            // No direct address.
            body += [0, 0, 0, 0, 0, 0, 0, UInt8(part.count)]
            events.append(event(0x3E, body + part))
        }
        return events
    }

    /// Returns the event for a link that the host made as the central.
    package static func connected(to device: DeviceIdentity) -> [UInt8] {
        var body: [UInt8] = [0x01, 0]
        body.append(number: handle)
        body += [0, device.isRandom ? 1 : 0] + device.bytes.reversed()
        // An interval of 30 ms, no latency, and a supervision time-out of 4 s: the program does not know the real ones.
        for number: UInt16 in [24, 0, 400] { body.append(number: number) }
        return event(0x3E, body + [0])
    }

    /// Returns the event for the end of the link, with a reason of the Bluetooth specification.
    package static func disconnected(reason: UInt8) -> [UInt8] {
        var body: [UInt8] = [0]
        body.append(number: handle)
        return event(0x05, body + [reason])
    }

    /// Returns a data packet with a packet of the Attribute Protocol.
    package static func data(_ packet: ATTPacket) -> [UInt8] {
        let payload = packet.bytes
        var bytes: [UInt8] = [PacketType.acl]
        // The host sends first fragments that are not flushable, and the controller flushable ones.
        bytes.append(number: handle | (packet.code.isOfClient ? 0 : 2 << 12))
        bytes.append(number: UInt16(truncatingIfNeeded: payload.count + 4))
        bytes.append(number: UInt16(truncatingIfNeeded: payload.count))
        bytes.append(number: UInt16(4))
        return bytes + payload
    }

    private static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [PacketType.event, code, UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }
}
