import Testing

@testable import BluetoothValues

struct ReadingTests {
    private func bytes(_ hexadecimal: String) -> [UInt8] { HexText.bytes(hexadecimal) ?? [] }

    // qingping-ble, its states of a door sensor.
    @Test(arguments: [("00", true, false), ("01", false, false), ("02", true, true)])
    func `A door that was left open is a problem`(state: String, isOpen: Bool, isLeftOpen: Bool) throws {
        let section = AdvertisedSection.service(0xFDCD, bytes("080440342d583458" + "0401" + state))
        let states = try Qingping(section).reading.states
        #expect(states == [SensorState(.door, isOpen), SensorState(.problem, isLeftOpen)])
    }

    @Test func `Ruuvi 6 identifies the device by the last bytes of its address`() throws {
        let six = try RuuviTag(.manufacturer(0x0499, bytes("06144E40F8C915000602193200A34BBDC0FF00FF")))
        #expect(six.reading.identifiers == [SensorIdentifier(.device, .bytes([0xFF, 0x00, 0xFF]))])
        let five = try RuuviTag(.manufacturer(0x0499, bytes("0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F")))
        #expect(five.reading.identifiers == [SensorIdentifier(.address, .address("CB:B8:33:4C:88:4F"))])
    }

    @Test(arguments: [Int.min, -1, 0, .max]) func `Any time of a toothbrush has a reading`(number: Int) {
        var value = OralB()
        (value.minutes, value.seconds) = (number, number)
        #expect(value.duration == .seconds(number < -1 ? Int.min : number == .max ? .max : number * 61))
        #expect(value.reading.value(of: .duration) != nil)
        value.minutes = 2
        value.seconds = 5
        #expect(value.duration == .seconds(125))
        #expect(value.reading.value(of: .duration) == 125)
    }
}
