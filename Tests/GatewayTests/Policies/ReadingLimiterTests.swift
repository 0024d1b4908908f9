import BluetoothValues
import RxBluetooth
import Testing

@testable import Gateway

struct ReadingLimiterTests {
    private let device: BluetoothAddress = "A4:C1:38:00:00:01"

    private func limiter(_ changes: [String: Double] = [:], capacity: Int = 100) -> ReadingLimiter<String> {
        var settings = PublishingSettings()
        settings.minimumInterval = .seconds(10)
        settings.maximumInterval = .seconds(60)
        settings.changes = changes
        return ReadingLimiter(settings, capacity: capacity)
    }

    private func reading(_ value: Double, _ quantity: Quantity = .temperature) -> SensorReading {
        var reading = SensorReading(format: .bthome)
        reading.measurements = [SensorMeasurement(quantity, value, .celsius)]
        return reading
    }

    @Test func `An equal reading is published again after the maximum interval`() {
        var limiter = limiter()
        #expect(limiter.add("a", reading(20), from: device, at: .seconds(0)) == ["a"])
        #expect(limiter.add("b", reading(20), from: device, at: .seconds(59)) == [])
        #expect(limiter.nextDeadline == nil)
        #expect(limiter.add("c", reading(20), from: device, at: .seconds(60)) == ["c"])
        #expect(limiter.suppressed == 1)
    }

    @Test func `A change within the minimum interval waits, and the latest one is published`() {
        var limiter = limiter()
        _ = limiter.add("a", reading(20), from: device, at: .seconds(0))
        #expect(limiter.add("b", reading(21), from: device, at: .seconds(3)) == [])
        #expect(limiter.add("c", reading(22), from: device, at: .seconds(4)) == [])
        #expect(limiter.nextDeadline == .seconds(10))
        #expect(limiter.due(at: .seconds(9)) == [])
        #expect(limiter.due(at: .seconds(10)) == ["c"])
        #expect(limiter.nextDeadline == nil && limiter.suppressed == 1)
        #expect(limiter.add("d", reading(23), from: device, at: .seconds(15)) == [])
        #expect(limiter.add("e", reading(24), from: device, at: .seconds(20)) == ["e"])
        #expect(limiter.due(at: .seconds(40)) == [])
    }

    /// A limiter in which voltages wait for 30 s, and battery levels for 40 s.
    private func limiterByQuantity() -> ReadingLimiter<String> {
        var settings = PublishingSettings()
        settings.minimumInterval = .seconds(10)
        settings.maximumInterval = .seconds(60)
        settings.minimumIntervals = ["voltage": .seconds(30), "batteryLevel": .seconds(40)]
        return ReadingLimiter(settings)
    }

    private func reading(_ temperature: Double, voltage: Double, battery: Double = 50) -> SensorReading {
        var reading = reading(temperature)
        reading.measurements += [
            SensorMeasurement(.voltage, voltage, .volt), SensorMeasurement(.batteryLevel, battery, .percent),
        ]
        return reading
    }

    @Test func `A change of a quantity waits for the interval of this quantity`() {
        var limiter = limiterByQuantity()
        #expect(limiter.add("a", reading(20, voltage: 3), from: device, at: .seconds(0)) == ["a"])
        #expect(limiter.add("b", reading(20, voltage: 2.9), from: device, at: .seconds(15)) == [])
        #expect(limiter.nextDeadline == .seconds(30))
        #expect(limiter.due(at: .milliseconds(29_999)) == [])
        #expect(limiter.due(at: .seconds(30)) == ["b"])
        #expect(limiter.add("c", reading(20, voltage: 2.9, battery: 49), from: device, at: .seconds(35)) == [])
        #expect(limiter.add("d", reading(20, voltage: 2.8, battery: 48), from: device, at: .seconds(36)) == [])
        #expect(limiter.due(at: .seconds(59)) == [] && limiter.due(at: .seconds(60)) == ["d"])
        #expect(limiter.nextDeadline == .seconds(70))
        #expect(limiter.due(at: .seconds(200)) == [] && limiter.nextDeadline == nil)
    }

    @Test func `A change of another quantity publishes a reading that waits`() {
        var limiter = limiterByQuantity()
        _ = limiter.add("a", reading(20, voltage: 3), from: device, at: .seconds(0))
        #expect(limiter.add("b", reading(20, voltage: 2.9), from: device, at: .seconds(2)) == [])
        #expect(limiter.add("c", reading(21, voltage: 2.8), from: device, at: .seconds(4)) == [])
        #expect(limiter.nextDeadline == .seconds(10))
        #expect(limiter.due(at: .seconds(10)) == ["c"])
        #expect(limiter.add("d", reading(21, voltage: 2.7), from: device, at: .seconds(12)) == [])
        #expect(limiter.due(at: .seconds(30)) == [] && limiter.due(at: .seconds(40)) == ["d"])
    }

    @Test func `A fluctuating quantity makes at most one message in its interval`() {
        var limiter = limiterByQuantity()
        var count = 0
        for second in 0..<3_000 {
            let reading = reading(20, voltage: 3 + Double(second % 7) / 10)
            count += limiter.add("x", reading, from: device, at: .seconds(second)).count
            count += limiter.due(at: .seconds(second)).count
        }
        #expect(count == 100, "\(count)")
        #expect(limiter.flush(at: .seconds(3_000)).count == 1 && limiter.nextDeadline == nil)
    }

    @Test func `A change that is taken back is not published`() {
        var limiter = limiter()
        _ = limiter.add("a", reading(20), from: device, at: .seconds(0))
        _ = limiter.add("b", reading(21), from: device, at: .seconds(1))
        _ = limiter.add("c", reading(20), from: device, at: .seconds(2))
        #expect(limiter.due(at: .seconds(10)) == [])
        #expect(limiter.suppressed == 2)
    }

    @Test(arguments: [(21.3, 21.4, true), (21.4, 21.3, true), (21.3, 21.39, false), (21.3, 21.2, true)])
    func `A change counts from its threshold on`(_ first: Double, _ second: Double, _ isPublished: Bool) {
        var limiter = limiter(["temperature": 0.1])
        _ = limiter.add("a", reading(first), from: device, at: .seconds(0))
        #expect(limiter.add("b", reading(second), from: device, at: .seconds(20)) == (isPublished ? ["b"] : []))
    }

    @Test func `A slow drift is published, because changes count from the last message`() {
        var limiter = limiter(["temperature": 0.5])
        var published: [String] = []
        for step in 0...20 {
            let value = 20 + Double(step) * 0.1
            published += limiter.add("\(step)", reading(value), from: device, at: .seconds(step))
            published += limiter.due(at: .seconds(step))
        }
        #expect(published == ["0", "10", "20"])
    }

    @Test func `Events are published at once and never dropped`() {
        var limiter = limiter()
        var pressed = reading(20)
        pressed.events = [.button(index: 1, .press)]
        var published: [String] = []
        for number in 0..<100 {
            published += limiter.add("\(number)", pressed, from: device, at: .milliseconds(number))
        }
        #expect(published == (0..<100).map(String.init) && limiter.suppressed == 0)
    }

    @Test func `An event replaces a reading that waits`() {
        var limiter = limiter()
        _ = limiter.add("a", reading(20), from: device, at: .seconds(0))
        _ = limiter.add("b", reading(21), from: device, at: .seconds(1))
        var pressed = reading(21)
        pressed.events = [.motion]
        #expect(limiter.add("c", pressed, from: device, at: .seconds(2)) == ["c"])
        #expect(limiter.due(at: .seconds(10)) == [] && limiter.due(at: .seconds(100)) == [])
    }

    @Test func `A reading after an event waits for the interval of the event`() {
        var limiter = limiter()
        _ = limiter.add("a", reading(20), from: device, at: .seconds(0))
        _ = limiter.add("b", reading(21), from: device, at: .seconds(1))
        var pressed = reading(21)
        pressed.events = [.motion]
        _ = limiter.add("c", pressed, from: device, at: .seconds(5))
        _ = limiter.add("d", reading(22), from: device, at: .seconds(6))
        #expect(limiter.due(at: .seconds(10)) == [])
        #expect(limiter.nextDeadline == .seconds(15))
        #expect(limiter.due(at: .seconds(15)) == ["d"])
    }

    @Test func `Quantities that a device sends in turn do not replace one another`() {
        var limiter = limiter()
        #expect(limiter.add("t", reading(20), from: device, at: .seconds(0)) == ["t"])
        #expect(limiter.add("h", reading(40, .humidity), from: device, at: .seconds(0)) == ["h"])
        _ = limiter.add("t2", reading(21), from: device, at: .seconds(1))
        _ = limiter.add("h2", reading(41, .humidity), from: device, at: .seconds(2))
        #expect(limiter.due(at: .seconds(10)) == ["t2", "h2"])
    }

    @Test func `A changed state is published`() {
        var limiter = limiter()
        var door = SensorReading(format: .bthome)
        door.states = [SensorState(.door, false)]
        _ = limiter.add("closed", door, from: device, at: .seconds(0))
        door.states = [SensorState(.door, true)]
        #expect(limiter.add("open", door, from: device, at: .seconds(20)) == ["open"])
    }

    @Test func `The number of devices is bounded, and a waiting reading is not lost`() {
        var limiter = limiter(capacity: 2)
        let addresses = (1...4).map { BluetoothAddress(UInt64($0)) }
        _ = limiter.add("1", reading(20), from: addresses[0], at: .seconds(0))
        _ = limiter.add("1 waits", reading(21), from: addresses[0], at: .seconds(1))
        _ = limiter.add("2", reading(20), from: addresses[1], at: .seconds(2))
        #expect(limiter.add("3", reading(20), from: addresses[2], at: .seconds(3)) == ["1 waits", "3"])
        #expect(limiter.evicted == 1)
        #expect(limiter.add("2 again", reading(20), from: addresses[1], at: .seconds(4)) == [])
        #expect(limiter.due(at: .seconds(20)) == [])
    }

    @Test func `Random addresses and layouts do not make it grow`() {
        var limiter = limiter(capacity: 10)
        var published = 0
        for number in 0..<5_000 {
            let address = BluetoothAddress(UInt64(number % 100))
            let quantity = Quantity.allCases[number % Quantity.allCases.count]
            published +=
                limiter.add("", reading(Double(number), quantity), from: address, at: .milliseconds(number)).count
        }
        published += limiter.due(at: .seconds(1_000)).count
        #expect(published + limiter.suppressed == 5_000)
        #expect(limiter.nextDeadline == nil)
    }
}
