import RxBluetoothSupport
import Testing

@testable import BluetoothCaptures

struct CaptureFuzzTests {
    @Test(arguments: [UInt64](1...8))
    func `Captures with random changes are read without a trap`(_ seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let packets = CapturePackets.recording()
        for round in 0..<400 {
            var bytes =
                round % 3 == 0
                ? CapturePackets.pcap(packets) : CapturePackets.file(packets, round % 3 == 1 ? .pcapng : .snoop)
            for _ in 0..<Int.random(in: 1...12, using: &dice) { mutate(&bytes, &dice) }
            let (read, error) = CapturePackets.read(bytes, chunk: Int.random(in: 1...300, using: &dice))
            #expect(read.count <= bytes.count / 16)
            if let count = error?.packetCount { #expect(count >= read.count) }
            for device in CapturePackets.collect(read).all {
                #expect((device.advertisement?.interval ?? 0) >= 0)
                for notifications in device.server.notifications.values { #expect((notifications.interval ?? 0) >= 0) }
            }
        }
    }

    @Test(arguments: [UInt64](1...4))
    func `Packets of random bytes are collected without a trap`(_ seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var collector = CapturePackets.collect(CapturePackets.recording().dropLast())
        for _ in 0..<20_000 {
            var payload = (0..<Int.random(in: 0...40, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice)
            }
            let direction: CapturePacket.Direction? = [.sentByHost, .receivedByHost, nil].randomElement(using: &dice)!
            switch Int.random(in: 0...2, using: &dice) {
            case 0: payload.insert(UInt8.random(in: 0...5, using: &dice), at: 0)
            case 1:
                payload =
                    [4, 0x3E, UInt8(payload.count + 1), [0x01, 0x02, 0x0D].randomElement(using: &dice)!] + payload
            default:
                let code = (UInt8(1)...0x23).randomElement(using: &dice).flatMap(ATTCode.init) ?? .readResponse
                payload = SyntheticHCI.data(ATTPacket(code, payload))
            }
            collector.add(
                CapturePacket(time: .random(in: .min ... .max, using: &dice), direction: direction, bytes: payload))
        }
        #expect(collector.counts.packets > 20_000)
    }

    private func mutate(_ bytes: inout [UInt8], _ dice: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0...4, using: &dice) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &dice)
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.insert([0, 0xFF, 0x7F, 0x80].randomElement(using: &dice)!, at: place)
        default: bytes.remove(at: place)
        }
    }
}
