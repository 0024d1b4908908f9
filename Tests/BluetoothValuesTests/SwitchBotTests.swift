import Testing

@testable import BluetoothValues

// Payloads of devices in the tests of PySwitchbot (tests/test_adv_parser.py).
struct SwitchBotTests {
    /// Data of a product: manufacturer data and service data.
    struct Product: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let manufacturer: AdvertisedSection
        let service: AdvertisedSection

        init(_ name: String, _ manufacturer: String, _ service: String) {
            testDescription = name
            self.manufacturer = .manufacturer(0x0969, HexText.bytes(manufacturer) ?? [])
            self.service = .service(0xFD3D, HexText.bytes(service) ?? [])
        }

        var sections: [AdvertisedSection] { [manufacturer, service] }
    }

    @Test(arguments: [
        Product("curtain", "e7ab46ac8f927c0f001104", "63c058001104"),
        Product("closed curtain", "c1c7277d55ab220f641104", "63c053641104"),
        Product("color bulb", "84f703b4cb7a03e4210000", "7500"),
        Product("curtain with 12 bytes", "e7ab46ac8f927c0f00110400", "63c058001104"),
        // Data that could be that of a meter: 22.9 °C and 47 %.
        Product("other kind", "aabbccddeeff4a0109962f", "63c058001104"),
        // 22 °C and 47 %, but the tenths are no digit.
        Product("no digit", "aabbccddeeff4a010A962f", "63c058001104"),
        Product("no digit, long", "b0e9fe543215b7e40F9ba4003702d500", "63c058001104"),
    ]) func `Another product is no meter`(product: Product) {
        var decoder = SensorDecoder()
        #expect(decoder.decode(product.manufacturer, among: product.sections) == .unknown)
        #expect(decoder.decode(product.service, among: product.sections) == .unknown)
        guard product.testDescription != "other kind" else { return }
        #expect(decoder.decode(product.manufacturer) == .unknown)
    }

    @Test(arguments: [
        (Product("Outdoor Meter", "aabbccddeeffe00f06983500", "7700e4"), [24.6, 53, 100]),
        (Product("Meter Pro", "b0e9fe52dd84066408972c0005", "340064"), [23.8, 44, 100]),
        (Product("Meter Pro CO2", "b0e9fe543215b7e4079ba4003702d500", "350064"), [27.7, 36, 100, 725]),
        // A temperature and humidity that only the service data identifies.
        (Product("cold and dry", "aabbccddeeffe00f06030200", "7700e4"), [-3.6, 2, 100]),
    ]) func `A meter has its values in manufacturer data, and its battery in service data`(
        product: Product, values: [Double]
    ) throws {
        var decoder = SensorDecoder()
        var measured: [Quantity: Double] = [:]
        for section in product.sections {
            guard case .reading(let reading) = decoder.decode(section, among: product.sections) else {
                Issue.record("\(section) has no reading")
                return
            }
            for measurement in reading.measurements { measured[measurement.quantity] = measurement.value }
        }
        let quantities: [Quantity] = [.temperature, .humidity, .batteryLevel, .carbonDioxide]
        #expect(quantities.compactMap { measured[$0] } == values)
    }

    @Test(
        arguments: [
            (AdvertisedSection.service(0xFD3D, [0x69, 0, 0x64, 0x0F, 0x98, 0xA6]), [38, 100], 0x10F98),
            // The service data says that this is a meter.
            (.manufacturer(0x0969, [1, 2, 3, 4, 5, 6, 0x4A, 1, 0x0A, 0x96, 0x2F]), [47], 0x10A96),
        ] as [(AdvertisedSection, [Double], Double)])
    func `A digit that is none does not refuse the other values`(
        section: AdvertisedSection, values: [Double], number: Double
    ) throws {
        var decoder = SensorDecoder()
        let meter = AdvertisedSection.service(0xFD3D, [0x77, 0, 0x64])
        let sections = section.kind == .service ? [section] : [section, meter]
        guard case .reading(let reading) = decoder.decode(section, among: sections) else {
            Issue.record("no reading")
            return
        }
        #expect(reading.measurements.map(\.value) == values)
        #expect(reading.impossible == [SensorMeasurement(.temperature, number, .celsius)])
        #expect(decoder.impossibleValueCount == 1)
        let value = try SwitchBot(section)
        #expect(try SwitchBot(value.section()) == value)
    }

    @Test func `Too much carbon dioxide for the sensor is an impossible value`() throws {
        let bytes = HexText.bytes("b0e9fe543215b7e4079ba40037ffff00") ?? []
        var decoder = SensorDecoder()
        guard case .reading(let reading) = decoder.decode(.manufacturer(0x0969, bytes)) else {
            Issue.record("no reading")
            return
        }
        #expect(reading.measurements.map(\.quantity) == [.temperature, .humidity])
        #expect(reading.impossible == [SensorMeasurement(.carbonDioxide, 65_535, .partsPerMillion)])
    }

    @Test(
        arguments: [
            ("02d5", "Meter Pro CO2"), ("270f", "Meter Pro CO2"), ("2710", nil), ("ffff", nil),
        ] as [(String, String?)])
    func `Possible carbon dioxide says the model`(gas: String, model: String?) throws {
        let bytes = HexText.bytes("b0e9fe543215b7e4079ba40037" + gas + "00") ?? []
        #expect(try SwitchBot(.manufacturer(0x0969, bytes)).reading.model == model)
    }

    @Test func `Zeros in service data are no values, and a short payload has a reason`() throws {
        let value = try SwitchBot(.service(0xFD3D, [0x54, 0, 0, 0, 0, 0]))
        #expect(value.temperature == nil)
        #expect(value.reading.measurements == [])
        #expect(try SwitchBot(value.section()) == value)
        #expect(throws: ValueDecodingError("switchbot", .tooShort(needed: 11), bytes: [1, 2])) {
            try SwitchBot(.manufacturer(0x0969, [1, 2]))
        }
        #expect(throws: ValueDecodingError("switchbot", .tooShort(needed: 6), bytes: [0x54, 0, 0, 0])) {
            try SwitchBot(.service(0xFD3D, [0x54, 0, 0, 0]))
        }
    }
}
