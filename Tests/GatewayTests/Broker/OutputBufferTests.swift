import Testing

@testable import Gateway

@Suite struct OutputBufferTests {
    @Test func `Bytes are kept in their order`() {
        var buffer = OutputBuffer()
        buffer.append([1, 2, 3])
        buffer.removeFirst(1)
        buffer.append([4])
        #expect(Array(buffer.waiting) == [2, 3, 4])
        buffer.removeFirst(3)
        #expect(buffer.isEmpty && buffer.heldCount == 0)
    }

    @Test func `Sent bytes do not stay while others always wait`() {
        var buffer = OutputBuffer()
        let packet = [UInt8](repeating: 7, count: 1 << 10)
        buffer.append(packet)
        for _ in 0..<10_000 {
            buffer.append(packet)
            buffer.removeFirst(packet.count)
            #expect(buffer.count == packet.count)
            #expect(buffer.heldCount < 100 << 10)
        }
    }

    @Test func `There is room for messages up to the limit`() {
        var buffer = OutputBuffer()
        #expect(buffer.room == OutputBuffer.messageLimit)
        buffer.append([UInt8](repeating: 0, count: OutputBuffer.messageLimit + 5))
        #expect(buffer.room == 0)
        buffer.removeFirst(6)
        #expect(buffer.room == 1)
    }
}
