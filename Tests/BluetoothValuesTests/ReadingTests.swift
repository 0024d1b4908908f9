import FoundationEssentials
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

    @Test func `The time of a device is a date`() {
        var reading = SensorReading(format: .bthome)
        #expect(reading.date == nil)
        reading.timestamp = 1_700_000_000
        #expect(reading.date == Date(timeIntervalSince1970: 1_700_000_000))
        reading.date = Date(timeIntervalSince1970: -1.5)
        #expect(reading.timestamp == -2)
        reading.date = Date(timeIntervalSince1970: .infinity)
        #expect(reading.timestamp == nil)
        reading.timestamp = .max
        #expect(reading.date != nil)
        reading.date = nil
        #expect(reading.timestamp == nil)
    }

    @Test func `A reading keeps each of its rare values, and equals a new one without them`() {
        let empty = SensorReading(format: .bthome)
        var reading = empty
        #expect(reading.impossible == [] && reading.texts == [] && reading.surplus == [])
        #expect(reading.restartedAfter == nil)
        reading.impossible.append(SensorMeasurement(.humidity, 200, .percent))
        reading.texts = ["text"]
        reading.surplus = [1]
        reading.restartedAfter = 7
        let copy = reading
        #expect(copy == reading && copy.hashValue == reading.hashValue && copy != empty)
        reading.texts.append("other")
        #expect(copy.texts == ["text"] && reading.texts == ["text", "other"])
        reading.texts = []
        #expect(reading.impossible.count == 1 && reading.surplus == [1] && reading.restartedAfter == 7)
        reading.impossible = []
        reading.surplus = []
        #expect(reading != empty)
        reading.restartedAfter = nil
        #expect(reading == empty && reading.hashValue == empty.hashValue)
    }

    @Test(arguments: [
        (1.5, MeasurementUnit.second, Duration?.some(.milliseconds(1500))), (600, .minute, .seconds(36_000)),
        (2, .hour, .seconds(7200)), (1, .day, .seconds(86_400)), (1, .year, nil), (1, .celsius, nil),
        (.nan, .second, nil), (.infinity, .minute, nil), (1e300, .day, nil),
    ]) func `A measured time is a duration`(value: Double, unit: MeasurementUnit, duration: Duration?) {
        var reading = SensorReading(format: .victron)
        #expect(reading.duration(of: .timeRemaining) == nil)
        reading.measurements = [SensorMeasurement(.timeRemaining, value, unit)]
        #expect(reading.duration(of: .timeRemaining) == duration)
    }

    @Test func `The time since the start of a beacon is a duration that round-trips`() throws {
        var random = SplitMix(seed: 9)
        for _ in 0..<200 {
            var telemetry = Eddystone.Telemetry(voltage: 3, temperature: 20, advertisementCount: 1, upTime: 0)
            let tenths = Int64(UInt32(truncatingIfNeeded: random.next()))
            telemetry.timeSinceStart = .milliseconds(100) * tenths
            let decoded = try Eddystone(Eddystone.telemetry(telemetry).section())
            guard case .telemetry(let again) = decoded else {
                Issue.record("\(decoded)")
                return
            }
            #expect(again.timeSinceStart == .milliseconds(100) * tenths)
        }
        var none = Eddystone.Telemetry()
        #expect(none.timeSinceStart == nil)
        none.upTime = .infinity
        #expect(none.timeSinceStart == nil)
    }
}
