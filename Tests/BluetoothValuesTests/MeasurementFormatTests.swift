import Testing

@testable import BluetoothValues

struct MeasurementFormatTests {
    private static let celsius = SensorMeasurement(.temperature, 21.5, .celsius)
    private static let humidity = SensorMeasurement(.humidity, 40, .percent)
    private static let battery = SensorMeasurement(.batteryLevel, 50, .percent)

    // Table: what a simulated sensor of each format sends.
    private static let examples: [(SensorFormat, [SensorMeasurement])] = [
        (.bthome, [celsius, humidity, battery]),
        (.miBeacon, [celsius, humidity, battery]),
        (.ruuvi, [celsius, humidity, .init(.pressure, 1013, .hectopascal)]),
        (.ruuvi, [celsius, .init(.carbonDioxide, 700, .partsPerMillion)]),
        (.ruuvi, [celsius, .init(.particles10, 7, .microgramPerCubicMetre)]),
        (.tilt, [.init(.temperature, 68, .fahrenheit), .init(.specificGravity, 1.016, .specificGravity)]),
        (.eddystone, [.init(.voltage, 3, .volt), .init(.temperature, 21.5, .celsius)]),
        (.atc1441, [celsius, humidity, battery, .init(.voltage, 3, .volt)]),
        (.pvvx, [celsius, humidity, battery, .init(.voltage, 3, .volt)]),
        (
            .bParasite,
            [celsius, .init(.humidity, 40, .percent), .init(.moisture, 20, .percent), .init(.voltage, 3, .volt)]
        ),
        (.govee, [celsius, humidity, battery]),
        (.inkbird, [celsius, humidity, battery]),
        (.thermoPro, [celsius, humidity, battery]),
        (.switchBot, [celsius, humidity]),
        (.switchBot, [celsius, humidity, battery]),
        (.qingping, [celsius, humidity, battery, .init(.pressure, 1013, .hectopascal)]),
        (.sensirion, [celsius, humidity]),
        (.sensirion, [celsius, humidity, .init(.carbonDioxide, 700, .partsPerMillion)]),
        (.miScale, [.init(.mass, 80, .kilogram), .init(.impedance, 500, .ohm)]),
        (.aranet, [celsius, humidity, battery, .init(.carbonDioxide, 700, .partsPerMillion)]),
        (.oralB, [.init(.duration, 90, .second)]),
        (.mopeka, [celsius, .init(.voltage, 3, .volt)]),
        (.victron, [.init(.voltage, 12.8, .volt), .init(.stateOfCharge, 80, .percent)]),
        (.victron, [.init(.voltage, 12.8, .volt), .init(.yieldToday, 80, .wattHour)]),
        (.environmentalSensing, [celsius]),
    ]

    @Test(arguments: 0..<examples.count)
    func `A value made from measurements sends them`(index: Int) throws {
        let (format, measurements) = Self.examples[index]
        let sender = Sender(
            address: "C0:FF:EE:00:00:01", key: format == .victron ? DeviceKey([UInt8](repeating: 1, count: 16)) : nil)
        let value = try #require(try format.value(measuring: measurements))
        let section = try value.section(from: sender)
        var decoder = SensorDecoder()
        decoder.keys["C0:FF:EE:00:00:01"] = sender.key
        let result = decoder.decode(section, from: sender.address, name: value.requiredName)
        guard case .reading(let reading) = result else {
            Issue.record("\(format): \(result)")
            return
        }
        #expect(reading.format == format)
        for measurement in measurements {
            // Half a step of the coarsest format; Mopeka and ESS have steps of one degree and less.
            let step = format == .mopeka ? 0.5 : 0.01
            let value = try #require(reading.value(of: measurement.quantity), "\(format) \(measurement)")
            #expect(abs(value - measurement.value) <= step, "\(format) \(measurement)")
        }
    }

    @Test func `All formats with measurements have an example`() {
        let measuring = SensorFormat.allCases.filter { $0.type is any MeasurementFormat.Type }
        #expect(Set(Self.examples.map(\.0)) == Set(measuring))
        #expect(measuring.count == 20)
    }

    @Test func `A quantity or unit that a format does not have is refused with its name`() {
        func failure(_ format: SensorFormat, _ measurements: [SensorMeasurement]) -> ValueEncodingError? {
            do {
                _ = try format.value(measuring: measurements)
                return nil
            } catch {
                return error
            }
        }
        for format in SensorFormat.allCases where format.type is any MeasurementFormat.Type {
            #expect(failure(format, [.init(.heartRate, 1, .none)]) != nil, "\(format)")
        }
        #expect(
            failure(.ruuvi, [.init(.radon, 1, .none)]) == ValueEncodingError("ruuvi", field: "radon", .contradiction))
        #expect(failure(.govee, [.init(.temperature, 70, .fahrenheit)])?.field == "temperature")
        #expect(failure(.bthome, [.init(.temperature, 70, .fahrenheit)])?.field == "temperature")
        #expect(failure(.bthome, [.init(.batteryLevel, 700, .percent)])?.reason == .outOfRange)
    }

    @Test func `Formats without measurements make no value from them`() throws {
        #expect(try SensorFormat.iBeacon.value(measuring: []) == nil)
        #expect(try SensorFormat.findMy.value(measuring: []) == nil)
        #expect(SensorFormat.findMy.type == nil)
    }
}
