import Testing

@testable import Gateway

@Suite struct PacketFramerTests {
    private func frames(_ bytes: [UInt8], chunk: Int) throws -> [PacketFramer.Frame] {
        var framer = PacketFramer()
        var frames: [PacketFramer.Frame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var input = rest.prefix(chunk)
            rest = rest.dropFirst(chunk)
            while let frame = try framer.next(&input) { frames.append(frame) }
            #expect(framer.bufferedCount <= PacketFramer.maximumLength)
        }
        return frames
    }

    @Test func `Packets are the same for each division of the bytes`() throws {
        let bytes: [UInt8] = [0xD0, 0, 0x30, 0x83, 0x01] + [UInt8](repeating: 7, count: 131) + [0x40, 2, 0, 1]
        let whole = try frames(bytes, chunk: bytes.count)
        #expect(whole.count == 3)
        for chunk in 1..<bytes.count { #expect(try frames(bytes, chunk: chunk) == whole, "\(chunk)") }
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 256 << 10])
    func `Bodies up to the limit are packets`(_ length: Int) throws {
        let packet = PacketWriter.packet(0x30, body(length))
        #expect(try frames(packet, chunk: 1000) == [.packet(header: 0x30, body: body(length).bytes[...])])
    }

    @Test func `Only the topic and the identifier of a message above the limit are kept`() throws {
        let rest = [UInt8](repeating: 9, count: 400_000)
        let packet = PacketWriter.packet(0x32, body([0, 1, 0x61, 0, 5] + rest))
        let next: [UInt8] = [0xD0, 0]
        for chunk in [1 << 10, 4096, packet.count + 2] {
            #expect(
                try frames(packet + next, chunk: chunk) == [
                    .skipped(header: 0x32, start: [0, 1, 0x61, 0, 5], length: 400_005),
                    .packet(header: 0xD0, body: []),
                ])
        }
    }

    @Test(arguments: [0x20, 0x40, 0x90, 0xD0, 0xE0] as [UInt8])
    func `Another packet above the limit is refused before its body`(_ header: UInt8) throws {
        #expect(throws: MQTTViolation(.tooLarge, "a packet that is no message has 268435455 bytes")) {
            try frames([header, 0xFF, 0xFF, 0xFF, 0x7F], chunk: 1)
        }
    }

    @Test(arguments: [[0x30, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x80, 0x00]] as [[UInt8]])
    func `A length that is not valid is refused`(_ bytes: [UInt8]) {
        #expect(throws: MQTTViolation.self) { try frames(bytes, chunk: 5) }
    }

    private func body(_ length: Int) -> PacketWriter { body([UInt8](repeating: 1, count: length)) }

    private func body(_ bytes: [UInt8]) -> PacketWriter {
        var writer = PacketWriter()
        writer.append(bytes)
        return writer
    }
}
