import Testing

@testable import BluetoothValues

/// Objects of MiBeacon that mean something else for one product than for another.
struct MiBeaconProductTests {
    private func reading(_ product: UInt16, _ identifier: UInt16, _ bytes: [UInt8]) -> SensorReading {
        MiBeacon(product: product, objects: [MiBeacon.Object(identifier, bytes)]).reading
    }

    @Test func `A dimmer reports presses and steps, not a number of a button`() {
        #expect(reading(0x03B6, 0x1001, [0, 1, 3]).events == [.button(index: 1, .press)])
        #expect(reading(0x03B6, 0x1001, [0, 2, 3]).events == [.button(index: 1, .doublePress)])
        #expect(reading(0x03B6, 0x1001, [1, 4, 3]).events == [.button(index: 1, .longPress)])
        #expect(reading(0x03B6, 0x1001, [0, 3, 4]).events == [.dimmer(index: 1, steps: 3)])
        #expect(reading(0x03B6, 0x1001, [0, 0xFE, 4]).events == [.dimmer(index: 1, steps: -2)])
        #expect(reading(0x03B6, 0x1001, [0xFF, 0, 4]).events == [.other("pressed rotation", code: -1)])
    }

    @Test func `A switch reports each of the buttons that were pressed together`() {
        #expect(
            reading(0x0DFD, 0x1001, [5, 0, 1]).events == [.button(index: 1, .longPress), .button(index: 3, .longPress)])
        #expect(
            reading(0x1569, 0x1001, [2, 0, 2]).events
                == [.button(index: 1, .doublePress), .button(index: 2, .doublePress)])
        #expect(reading(0x0153, 0x1001, [3, 0, 2]).events == [.button(index: 4, .longPress)])
        #expect(reading(0x1949, 0x4E0C, [3]).events == [.button(index: 1, .press), .button(index: 2, .press)])
        #expect(reading(0x1C10, 0x4E0C, [15]).events == [.button(index: 1, .doublePress)])
        #expect(reading(0x5968, 0x4A0D, [1]).events == [.button(index: 2, .doublePress)])
    }

    @Test func `A number of light is a state for products that send no illuminance`() {
        #expect(reading(0x07F6, 0x000F, [100, 0, 0]).states == [.init(.light, true), .init(.motion, true)])
        #expect(reading(0x07F6, 0x000F, [100, 0, 0]).measurements == [])
        #expect(reading(0x0A83, 0x000F, [14, 0, 0]).value(of: .illuminance) == 14)
        #expect(reading(0x098B, 0x1007, [1, 0, 0]).states == [.init(.light, false)])
        #expect(reading(0x0098, 0x1007, [0x0E, 0, 0]).value(of: .illuminance) == 14)
    }

    @Test func `Toothbrushes and scales report their values`() {
        let brush = reading(0x0489, 0x0010, [1, 87])
        #expect(brush.states == [.init(.running, false)])
        #expect(brush.value(of: .score) == 87)
        let start = reading(0x0806, 0x3003, [0, 0x10, 0x27, 0, 0])
        #expect(start.timestamp == 10_000)
        #expect(start.states == [.init(.running, true)])
        // Mass 73.2 kg, heart rate 110 − 50, impedance 451.2 Ω.
        let data = UInt32(732 | 60 << 11 | 4512 << 18)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: data >> UInt32($0 * 8)) }
        let scale = reading(0x30D9, 0x6E16, [1] + bytes + [0, 0, 0, 0])
        #expect(scale.value(of: .mass) == 73.2)
        #expect(scale.value(of: .heartRate) == 110)
        #expect(scale.value(of: .impedance) == 451.2)
        #expect(scale.states == [.init(.stable, false)])
        #expect(reading(0x45C9, 0x4E16, [1, 0x10, 0x27, 0, 0, 0, 0, 0, 0]).value(of: .mass) == 100)
    }

    @Test func `A knock on the door is no problem, and a lock reports whether it is locked`() {
        #expect(reading(0x0E39, 0x0007, [3]).states == [.init(.door, false)])
        #expect(reading(0x0E39, 0x0007, [2]).states == [.init(.door, true), .init(.problem, true)])
        let lock = reading(0x0E39, 0x000B, [0x25, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(lock.states == [.init(.unlocked, false)])
        #expect(lock.events == [.other("lock", code: 0x25)])
    }

    @Test func `Bytes after the last complete object are kept, and encoded again`() throws {
        let bytes = try #require(HexText.bytes("702291030fdbab531824d0090a0002750d07"))
        let frame = try MiBeacon(.service(MiBeacon.service, bytes))
        #expect(frame.undecoded == [0x07])
        #expect(try frame.section().bytes == bytes)
        let motion = try MiBeacon(.service(MiBeacon.service, [0x40, 0x30, 0xDD, 0x03, 0x24, 0x03, 0x00, 0x01, 0x01]))
        #expect(motion.reading.events == [.motion])
    }
}
