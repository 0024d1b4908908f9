@testable import BluetoothCaptures

/// Packets and captures for tests.
enum CapturePackets {
    static let strap = DeviceIdentity("C0:FF:EE:00:00:01", isRandom: true)!
    static let tag = DeviceIdentity("00:1A:7D:00:00:02", isRandom: false)!

    /// The packets of a recording: two advertisements, a link, a discovery, a read, a write and three notifications.
    static func recording() -> [CapturePacket] {
        var time: Int64 = 1_700_000_000_000_000
        func packet(_ bytes: [UInt8], sent: Bool = false) -> CapturePacket {
            time += 100_000
            return CapturePacket(time: time, direction: sent ? .sentByHost : .receivedByHost, bytes: bytes)
        }
        var packets: [CapturePacket] = []
        for _ in 0..<2 {
            let data: [UInt8] = [2, 1, 6, 3, 3, 0x0D, 0x18, 6, 9] + Array("Strap".utf8)
            let report = AdvertisingReport(device: strap, isConnectable: true, rssi: -60, data: data)
            packets += SyntheticHCI.advertisement(report).map { packet($0) }
        }
        packets.append(packet(SyntheticHCI.connected(to: strap)))
        for exchange in conversation {
            packets.append(packet(SyntheticHCI.data(exchange), sent: exchange.code.isOfClient))
        }
        packets.append(packet(SyntheticHCI.disconnected(reason: 0x13)))
        for index in packets.indices { packets[index].number = index + 1 }
        return packets
    }

    /// The packets of a client and a server with a heart-rate service and a battery service.
    static let conversation: [ATTPacket] = [
        ATTPacket(.exchangeMTURequest, [0x05, 0x02]), ATTPacket(.exchangeMTUResponse, [0xF7, 0x00]),
        ATTPacket(.readByGroupTypeRequest, [1, 0, 0xFF, 0xFF, 0x00, 0x28]),
        ATTPacket(.readByGroupTypeResponse, [6, 1, 0, 5, 0, 0x0D, 0x18, 6, 0, 9, 0, 0x0F, 0x18]),
        ATTPacket(.readByTypeRequest, [1, 0, 5, 0, 0x03, 0x28]),
        ATTPacket(.readByTypeResponse, [7, 2, 0, 0x10, 3, 0, 0x37, 0x2A]),
        ATTPacket(.findInformationRequest, [4, 0, 5, 0]),
        ATTPacket(.findInformationResponse, [1, 4, 0, 0x02, 0x29, 5, 0, 0x01, 0x29]),
        ATTPacket(.readByTypeRequest, [6, 0, 9, 0, 0x03, 0x28]),
        ATTPacket(.readByTypeResponse, [7, 7, 0, 0x0A, 8, 0, 0x19, 0x2A]),
        ATTPacket(.readRequest, handle: 8), ATTPacket(.readResponse, [87]),
        ATTPacket(.readRequest, handle: 5), ATTPacket(.readResponse, Array("Beats".utf8)),
        ATTPacket(.writeRequest, handle: 8, [50]), ATTPacket(.writeResponse),
        ATTPacket(.writeRequest, handle: 4, [1, 0]), ATTPacket(.writeResponse),
        ATTPacket(.notification, handle: 3, [0, 60]), ATTPacket(.notification, handle: 3, [0, 61]),
        ATTPacket(.notification, handle: 3, [0, 62]),
    ]

    static func file(_ packets: [CapturePacket], _ format: CaptureWriter.Format) -> [UInt8] {
        let writer = CaptureWriter(format)
        return writer.header(comment: "Test", application: "Tests") + packets.flatMap { writer.record($0) }
    }

    /// Returns a pcap file with the link type 187, which has no direction.
    static func pcap(_ packets: [CapturePacket]) -> [UInt8] {
        var bytes: [UInt8] = []
        for number: UInt32 in [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65535, 187] { bytes.append(number: number) }
        for packet in packets {
            let count = UInt32(packet.bytes.count)
            let (seconds, fraction) = packet.time.quotientAndRemainder(dividingBy: 1_000_000)
            for number in [UInt32(seconds), UInt32(fraction), count, count] { bytes.append(number: number) }
            bytes += packet.bytes
        }
        return bytes
    }

    /// Reads a capture in chunks. Returns the packets, and the error at the end.
    static func read(_ bytes: [UInt8], chunk: Int = 4096) -> ([CapturePacket], CaptureError?) {
        var reader = CaptureReader()
        var packets: [CapturePacket] = []
        do throws(CaptureError) {
            var rest = bytes[...]
            while !rest.isEmpty {
                reader.append(Array(rest.prefix(chunk)))
                rest = rest.dropFirst(chunk)
                while let packet = try reader.next() { packets.append(packet) }
            }
            try reader.finish()
        } catch {
            return (packets, error)
        }
        return (packets, nil)
    }

    static func collect(_ packets: [CapturePacket]) -> CaptureCollector {
        var collector = CaptureCollector()
        for packet in packets { collector.add(packet) }
        return collector
    }
}
