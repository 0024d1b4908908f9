import TestTraits
import Testing

@testable import BluetoothValues

/// Devices whose counter begins again, and recorded packets that are played back.
struct RestartTests {
    private let address: SenderAddress = "54:48:E6:8F:80:A5"
    private let key = DeviceKey([UInt8](repeating: 7, count: 16))

    /// A packet of BTHome or MiBeacon at a time.
    private final class Air {
        var decoder = SensorDecoder()
        let sender: Sender
        let isMiBeacon: Bool

        init(_ sender: Sender, isMiBeacon: Bool) {
            self.sender = sender
            self.isMiBeacon = isMiBeacon
            if let address = sender.address { decoder.keys[address] = sender.key }
        }

        /// Returns whether the packet with a counter has a reading.
        func accepts(_ counter: UInt32, at seconds: Double) -> Bool { reading(counter, at: seconds) != nil }

        func reading(_ counter: UInt32, at seconds: Double) -> SensorReading? {
            let section =
                isMiBeacon
                ? try? MiBeacon(
                    product: 0x055B, objects: [.init(0x1004, [1, 0])], frameCounter: UInt8(counter & 0xFF),
                    encryptionCounter: counter >> 8
                ).section(from: sender)
                : try? BTHome([.battery(50)], counter: counter).section(from: sender)
            guard let section else { return nil }
            let result = decoder.decode(section, from: sender.address, at: .seconds(seconds))
            guard case .reading(let reading) = result else { return nil }
            return reading
        }
    }

    private func air(isMiBeacon: Bool = false) -> Air {
        Air(Sender(address: address, key: key), isMiBeacon: isMiBeacon)
    }

    @Test(.proves(.S128), arguments: [false, true])
    func `A device that counts again is accepted after four packets in 5 s`(isMiBeacon: Bool) {
        let air = air(isMiBeacon: isMiBeacon)
        #expect(air.accepts(154_553, at: 0))
        #expect(air.accepts(154_554, at: 10))
        for (number, time) in [(148, 20.0), (149, 22), (150, 24)] as [(UInt32, Double)] {
            #expect(!air.accepts(number, at: time))
        }
        #expect(air.reading(151, at: 26)?.restartedAfter == 154_554)
        #expect(air.reading(152, at: 28)?.restartedAfter == nil)
        #expect(air.accepts(153, at: 30))
        #expect(!air.accepts(100, at: 31))
    }

    @Test(arguments: [false, true]) func `The next process refuses what was recorded before`(isMiBeacon: Bool) {
        let first = air(isMiBeacon: isMiBeacon)
        #expect(first.accepts(154_553, at: 0))
        let counters = first.decoder.encryptedCounters
        #expect(counters.map(\.address) == [address])
        #expect(counters.map(\.format) == [isMiBeacon ? .miBeacon : .bthome])
        let forgetful = air(isMiBeacon: isMiBeacon)
        #expect(forgetful.accepts(154_000, at: 0))
        let next = air(isMiBeacon: isMiBeacon)
        next.decoder.restore(counters)
        #expect(!next.accepts(154_000, at: 0))
        #expect(next.accepts(154_554, at: 1))
        // A device without a key, and a format without a protected counter, are ignored.
        var other = SensorDecoder()
        other.restore(counters)
        #expect(other.encryptedCounters == [])
        other.keys[address] = key
        other.restore([EncryptedCounter(address: address, format: .ruuvi, value: 1)])
        #expect(other.encryptedCounters == [])
        // A device with a new key may count again.
        other.keys[address] = DeviceKey([UInt8](repeating: 1, count: 16))
        other.restore(counters)
        #expect(other.encryptedCounters == [])
        other.keys[address] = key
        other.restore(counters)
        #expect(other.encryptedCounters == counters)
    }

    @Test func `Repetitions of the same packet prove nothing`() {
        let air = air()
        _ = air.accepts(1000, at: 0)
        for time in 1...60 { #expect(!air.accepts(10, at: Double(time))) }
        #expect(!air.accepts(11, at: 61))
    }

    @Test(.proves(.S128)) func `A single old packet is refused, at any time and however often`() {
        let air = air()
        _ = air.accepts(1000, at: 0)
        for number in 0..<20 {
            #expect(!air.accepts(500, at: Double(number) * 60))
            #expect(air.accepts(1001 + UInt32(number), at: Double(number) * 60 + 30))
        }
    }

    @Test(.proves(.S128)) func `A recorded sequence that is played at once is refused`() {
        let air = air()
        _ = air.accepts(1000, at: 0)
        for number in 0..<200 as Range<UInt32> { #expect(!air.accepts(500 + number, at: 1 + Double(number) / 100)) }
    }

    @Test(.proves(.S128)) func `A recorded sequence is refused while the device sends`() {
        let air = air()
        _ = air.accepts(1000, at: 0)
        for second in 1...600 {
            #expect(!air.accepts(100 + UInt32(second), at: Double(second)))
            if second % 4 == 0 { #expect(air.accepts(1000 + UInt32(second), at: Double(second) + 0.5)) }
        }
    }

    @Test(.proves(.S128)) func `After a forged restart, the old counter goes on, and no restart is accepted`() {
        let air = air()
        _ = air.accepts(200_000, at: 0)
        for number in 0..<5 as Range<UInt32> { _ = air.accepts(100 + number, at: 10 + Double(number) * 2) }
        #expect(air.accepts(105, at: 30))
        #expect(air.accepts(200_001, at: 40))
        for number in 0..<100 as Range<UInt32> { #expect(!air.accepts(100 + number, at: 50 + Double(number) * 2)) }
        #expect(air.accepts(200_002, at: 300))
        air.decoder.forgetCounter(of: address)
        #expect(air.accepts(1, at: 310))
    }

    @Test(.proves(.S128)) func `The next process accepts no restart after a forged one`() {
        let first = air()
        _ = first.accepts(200_000, at: 0)
        for number in 0..<5 as Range<UInt32> { _ = first.accepts(100 + number, at: 10 + Double(number) * 2) }
        // The process ends between the forged restart and the next packet of the device, and again after it.
        let second = air()
        second.decoder.restore(first.decoder.encryptedCounters)
        #expect(second.decoder.encryptedCounters == first.decoder.encryptedCounters)
        #expect(second.accepts(200_001, at: 0))
        #expect(second.decoder.encryptedCounters.map(\.isRestartForged) == [true])
        let third = air()
        third.decoder.restore(second.decoder.encryptedCounters)
        for number in 0..<100 as Range<UInt32> { #expect(!third.accepts(100 + number, at: Double(number) * 2)) }
        #expect(third.accepts(200_002, at: 300))
    }

    /// A device that was at packet 200,000, counted again, and is at packet 104 after 20 s.
    private func restarted(isMiBeacon: Bool = false) -> Air {
        let air = air(isMiBeacon: isMiBeacon)
        _ = air.accepts(200_000, at: 0)
        for number in 0..<5 as Range<UInt32> { _ = air.accepts(100 + number, at: 10 + Double(number) * 2) }
        return air
    }

    @Test(.proves(.S128), arguments: [false, true])
    func `After a restart, a single packet of before is refused`(isMiBeacon: Bool) {
        let air = restarted(isMiBeacon: isMiBeacon)
        for (number, old) in ([361, 150_000, 199_999, 200_000] as [UInt32]).enumerated() {
            #expect(!air.accepts(old, at: 20 + Double(number) * 60))
            #expect(air.accepts(105 + UInt32(number), at: 50 + Double(number) * 60))
        }
        let next = self.air(isMiBeacon: isMiBeacon)
        next.decoder.restore(air.decoder.encryptedCounters)
        #expect(!next.accepts(150_000, at: 0))
        #expect(next.accepts(109, at: 30))
    }

    @Test(.proves(.S128)) func `After a restart, a recorded sequence is refused while the device sends`() {
        let air = restarted()
        for second in 1...600 {
            #expect(!air.accepts(150_000 + UInt32(second), at: 20 + Double(second)))
            if second % 4 == 0 { #expect(air.accepts(104 + UInt32(second), at: 20.5 + Double(second))) }
        }
    }

    @Test func `After a restart, a device that was out of range needs four packets in 5 s`() {
        let air = restarted()
        // 255 packets were missing.
        #expect(air.accepts(360, at: 100))
        for (number, time) in [(2000, 200.0), (2001, 202), (2002, 204)] as [(UInt32, Double)] {
            #expect(!air.accepts(number, at: time))
        }
        let reading = air.reading(2003, at: 206)
        #expect(reading != nil)
        #expect(reading?.restartedAfter == nil)
        #expect(air.accepts(2004, at: 208))
        #expect(!air.accepts(150_000, at: 210))
        #expect(air.accepts(2005, at: 212))
    }

    @Test func `Without a proof, a device that was out of range after a restart is accepted`() {
        let air = restarted()
        air.decoder.restartProof = nil
        #expect(air.accepts(2000, at: 200))
    }

    @Test func `Only counters that changed since they were saved are listed`() {
        let air = air()
        #expect(air.decoder.changedCounters == [])
        _ = air.accepts(1000, at: 0)
        let saved = air.decoder.changedCounters
        #expect(saved == [EncryptedCounter(address: address, format: .bthome, value: 1000, keyCheck: key?.check)])
        _ = air.accepts(1001, at: 1)
        // It has changed since the save began.
        air.decoder.markSaved(saved)
        #expect(air.decoder.changedCounters.map(\.value) == [1001])
        air.decoder.markSaved(air.decoder.changedCounters)
        _ = air.accepts(1001, at: 2)
        _ = air.accepts(500, at: 3)
        #expect(air.decoder.changedCounters == [])
        let next = self.air()
        next.decoder.restore(air.decoder.encryptedCounters)
        #expect(next.decoder.changedCounters == [])
        _ = next.accepts(1002, at: 0)
        #expect(next.decoder.changedCounters.map(\.value) == [1002])
    }

    @Test func `Packets with falling or far counters are no sequence`() {
        let air = air()
        _ = air.accepts(100_000, at: 0)
        for number in 0..<50 as Range<UInt32> { #expect(!air.accepts(5000 - number, at: Double(number) * 2)) }
        for number in 0..<50 as Range<UInt32> { #expect(!air.accepts(1000 * number, at: 200 + Double(number) * 2)) }
    }

    @Test func `Without times, or without a rule, a lower counter is never accepted`() throws {
        let air = air()
        air.decoder.restartProof = nil
        _ = air.accepts(1000, at: 0)
        for number in 0..<20 as Range<UInt32> { #expect(!air.accepts(number, at: Double(number) * 10)) }
        let untimed = self.air()
        _ = untimed.accepts(1000, at: 0)
        for number in 1..<20 as Range<UInt32> {
            let section = try BTHome([.battery(50)], counter: number).section(from: untimed.sender)
            guard case .failure = untimed.decoder.decode(section, from: address) else {
                Issue.record("packet \(number) was accepted")
                return
            }
        }
    }

    @Test func `A device with a counter of 16 bits that wraps is accepted again`() {
        let air = air()
        _ = air.accepts(65_534, at: 0)
        _ = air.accepts(65_535, at: 1)
        let accepted = (0..<10 as Range<UInt32>).map { air.accepts($0, at: 2 + Double($0) * 2) }
        #expect(accepted == [false, false, false] + [Bool](repeating: true, count: 7))
    }
}
