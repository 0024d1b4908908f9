import TestTraits
import Testing

@testable import BluetoothCaptures

struct CaptureControllerTests {
    /// Returns records of two controllers in turn: each connects a device with the same handle, and reads a value.
    private func packets() -> [(controller: UInt16, packet: CapturePacket)] {
        func received(_ bytes: [UInt8]) -> CapturePacket {
            CapturePacket(time: 0, direction: .receivedByHost, bytes: bytes)
        }
        let exchanges = [UInt8(0x11), 0x22].map { value in
            [
                CapturePacket(
                    time: 0, direction: .sentByHost, bytes: SyntheticHCI.data(ATTPacket(.readRequest, handle: 3))),
                received(SyntheticHCI.data(ATTPacket(.readResponse, [value]))),
            ]
        }
        return [
            (0, received(SyntheticHCI.connected(to: CapturePackets.strap))),
            (1, received(SyntheticHCI.connected(to: CapturePackets.tag))),
            (0, exchanges[0][0]), (1, exchanges[1][0]), (0, exchanges[0][1]), (1, exchanges[1][1]),
        ]
    }

    private func values(in bytes: [UInt8]) -> [[UInt8]?] {
        let (packets, error) = CapturePackets.read(bytes)
        #expect(error == nil)
        return CapturePackets.collect(packets).all.map { $0.server.lastValue(of: 3) }
    }

    /// The operation code of Linux's monitor channel.
    private func operation(_ packet: CapturePacket) -> UInt16 {
        let isSent = packet.direction == .sentByHost
        return packet.bytes[0] == PacketType.event ? 3 : isSent ? 4 : 5
    }

    @Test func `Equal handles of two adapters in a btsnoop file of btmon are different links`() {
        var bytes = Array("btsnoop\0".utf8)
        for number: UInt32 in [1, 2001] { bytes.append(number: number, .big) }
        for (adapter, packet) in packets() {
            let count = UInt32(packet.bytes.count - 1)
            let flags = UInt32(adapter) << 16 | UInt32(operation(packet))
            for number in [count, count, flags, 0] { bytes.append(number: number, .big) }
            bytes.append(number: SnoopFormat.epoch, .big)
            bytes += packet.bytes.dropFirst()
        }
        #expect(values(in: bytes) == [[0x11], [0x22]])
    }

    @Test func `Equal handles of two adapters in one pcapng interface are different links`() {
        let file = Pcapng(.little)
        var bytes = file.section() + file.interface(254)
        for (adapter, packet) in packets() {
            var header: [UInt8] = []
            header.append(number: adapter, .big)
            header.append(number: operation(packet), .big)
            bytes += file.packet(0, header + packet.bytes.dropFirst())
        }
        #expect(values(in: bytes) == [[0x11], [0x22]])
    }

    @Test func `Equal handles of two pcapng interfaces are different links`() {
        let file = Pcapng(.little)
        var bytes = file.section() + file.interface(201) + file.interface(201)
        for (interface, packet) in packets() {
            let header: [UInt8] = [0, 0, 0, packet.direction == .sentByHost ? 0 : 1]
            bytes += file.packet(UInt32(interface), header + packet.bytes)
        }
        #expect(values(in: bytes) == [[0x11], [0x22]])
    }

    @Test(.proves(.S139)) func `The number of links of all controllers is limited`() {
        var collector = CaptureCollector()
        for controller in 0..<UInt32(CaptureCollector.mostLinks + 5) {
            collector.add(
                CapturePacket(
                    time: 0, direction: .receivedByHost, controller: controller,
                    bytes: SyntheticHCI.connected(to: CapturePackets.strap)))
        }
        #expect(collector.counts.ofOtherDevices == 5)
    }

    @Test(arguments: [1, 60_000])
    func `Frames that are never completed need limited memory, and later frames are read`(_ size: Int) {
        var frames = L2CAPReassembler()
        let start: [UInt8] = [0xFF, 0xFF, 0x40, 0] + [UInt8](repeating: 0, count: size)
        func key(_ number: Int) -> LinkKey {
            LinkKey(
                CapturePacket(time: 0, direction: nil, controller: UInt32(number >> 12), bytes: []),
                UInt16(number & 0xFFF))
        }
        for number in 0..<100_000 {
            #expect(frames.add(start[...], isStart: true, on: key(number), .receivedByHost) == nil)
            if frames.pendingSize > L2CAPReassembler.longestPending { Issue.record("Too many bytes are stored") }
        }
        let first = frames.add([2, 0, 4, 0, 7], isStart: true, on: key(1), .receivedByHost)
        #expect(first == nil)
        let frame = frames.add([8], isStart: false, on: key(1), .receivedByHost)
        #expect(frame.map { Array($0.payload) } == [7, 8])
    }
}
