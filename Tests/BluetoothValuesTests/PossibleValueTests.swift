import Testing

@testable import BluetoothValues

/// Numbers that a sensor cannot have measured. The first ones are from reports of users.
struct PossibleValueTests {
    private func reading(_ section: AdvertisedSection, name: String? = nil) throws -> SensorReading {
        var decoder = SensorDecoder()
        guard case .reading(let reading) = decoder.decode(section, name: name) else {
            throw ValueDecodingError("test", .tooShort(needed: 0), bytes: section.bytes)
        }
        #expect(decoder.impossibleValueCount == reading.impossible.count)
        return reading
    }

    private static func bytes(_ text: String) -> [UInt8] { HexText.bytes(text) ?? [] }

    private static let reported: [(AdvertisedSection, name: String?, Quantity, Double)] = [
        (.manufacturer(0x68C2, bytes("c533022c")), "TP357 (0A01)", .temperature, -1500),
        (.manufacturer(0xF0C2, bytes("00c8022c")), "TP357 (0A01)", .humidity, 200),
        (WholeManufacturerData.split(bytes("660a0315001080f808")), "sps", .batteryLevel, 248),
        (.service(0xFE95, bytes("5020aa01a3bf2e3b342d580a1001d3")), nil, .batteryLevel, 211),
        (.service(0xFDCD, bytes("08096f1c40342d580104be00ffff")), nil, .humidity, 6553.5),
        (.service(0xFD3D, bytes("69007f0098a6")), nil, .batteryLevel, 127),
        (.manufacturer(0xEC88, bytes("00030d1e7800")), nil, .batteryLevel, 120),
        (.manufacturer(0xEC88, bytes("00bc00043e27")), nil, .temperature, -393.2),
        (WholeManufacturerData.split(bytes("fc07409c00c83d5606")), "sps", .humidity, 400),
        (WholeManufacturerData.split(ith), "ITH-11-B", .humidity, 150),
        (WholeManufacturerData.split(probe), "TP972S", .probeTemperature, 5000),
        (.manufacturer(0x0499, bytes("03291A64CE1EFC18F94202CA0B53")), nil, .temperature, 65_536 + 6756),
        (.service(0xFD3D, bytes("6900640098ff")), nil, .humidity, 127),
        (.service(0xFCD2, bytes("4001c8")), nil, .batteryLevel, 200),
        (.service(0xFCD2, bytes("4003ffff")), nil, .humidity, 655.35),
        (.service(0x181A, bytes("a4c1380283f400a2c8c80bf819")), nil, .humidity, 200),
        (.manufacturer(0x0499, bytes("057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F")), nil, .humidity, 163.835),
    ]

    /// 15.0 °C, 150.0 % and a battery of 80 %.
    private static let ith = bytes("0000000000009600dc055000000000000000")
    /// 5000 °C at all three places of a probe.
    private static let probe = bytes("0072006a0a" + "00f80d4600f80d4600f80d46" + "6c54737744f8")

    @Test(arguments: reported) func `An impossible number is no value, and is kept beside them`(
        section: AdvertisedSection, name: String?, quantity: Quantity, number: Double
    ) throws {
        let reading = try reading(section, name: name)
        #expect(reading.value(of: quantity) == nil)
        #expect(reading.impossible.map(\.quantity).contains(quantity))
        let found = try #require(reading.impossible.first { $0.quantity == quantity })
        #expect(abs(found.value - number) < 0.001)
    }

    @Test func `The possible values beside an impossible one remain`() throws {
        let section = AdvertisedSection.manufacturer(0xF0C2, Self.bytes("00c8022c"))
        let thermometer = try reading(section, name: "TP357 (0A01)")
        #expect(thermometer.value(of: .temperature) == 24)
        #expect(thermometer.value(of: .batteryLevel) == 100)
        // The typed value has what the device sent.
        #expect(try ThermoPro(section, from: Sender(name: "TP357")).humidity == 200)
    }

    @Test func `A Tilt that starts sends its firmware, and no temperature and density`() throws {
        let start = Self.bytes("0215a495bb10c5b14b44b5121370f02d74de03e703edc5")
        let tilt = try reading(.manufacturer(0x004C, start))
        #expect(tilt.measurements == [])
        #expect(tilt.impossible == [])
        #expect(tilt.identifiers.last == SensorIdentifier(.firmware, .number(1005)))
        #expect(try Tilt(.manufacturer(0x004C, start)).isStarting)
        // A Tilt Pro of 99.9 °F has the same number.
        let pro = Self.bytes("0215a495bb10c5b14b44b5121370f02d74de03e727b0c5")
        #expect(try reading(.manufacturer(0x004C, pro)).value(of: .temperature) == 99.9)
    }

    @Test(arguments: Quantity.allCases) func `Every percentage is from 0 to 100`(quantity: Quantity) {
        #expect(PossibleValues.range(of: quantity, .percent) == 0...100)
    }

    @Test(arguments: SensorFormat.allCases) func `The range of a format is within that of its quantity`(
        format: SensorFormat
    ) throws {
        // No format has one of these quantities in percent.
        for quantity in Quantity.allCases {
            guard let smaller = PossibleValues.range(of: quantity, in: format) else { continue }
            for unit in MeasurementUnit.allCases where unit != .percent {
                let whole = try #require(PossibleValues.range(of: quantity, unit))
                #expect(whole.contains(smaller.lowerBound) && whole.contains(smaller.upperBound), "\(unit)")
            }
        }
    }

    @Test func `Temperatures below absolute zero and numbers that are not finite are impossible`() {
        for (quantity, value, unit) in [
            (.temperature, -273.16, .celsius), (.probeTemperature, -459.7, .fahrenheit), (.temperature, .nan, .celsius),
            (.count, .infinity, .none), (.illuminance, -1, .lux), (.soundInstant, 195, .decibel),
            (.mass, 1001, .kilogram), (.heartRate, 301, .beatsPerMinute), (.direction, 361, .degree),
            (.count, 101, .percent), (.lightLevel, -1, .percent), (.power, 100.5, .percent),
        ] as [(Quantity, Double, MeasurementUnit)] {
            #expect(!PossibleValues.contain(SensorMeasurement(quantity, value, unit), of: .bthome), "\(quantity)")
        }
    }

    @Test(arguments: FormatGenerator.all) func `Random payloads of all formats have only possible values`(
        generator: FormatGenerator
    ) {
        var random = SplitMix(seed: 30)
        for _ in 0..<(rounds / 4) {
            let section = generator.section(&random)
            var decoder = SensorDecoder()
            if let key = FormatGenerator.sender.key, let address = FormatGenerator.sender.address {
                decoder.keys[address] = key
            }
            for name in [nil, "sps", "TP357", "iBBQ"] {
                guard case .reading(let reading) = decoder.decode(section, name: name) else { continue }
                #expect(reading.measurements.allSatisfy { PossibleValues.contain($0, of: reading.format) })
                for measurement in reading.measurements where measurement.unit == .percent {
                    #expect((0...100).contains(measurement.value))
                }
            }
        }
    }
}
