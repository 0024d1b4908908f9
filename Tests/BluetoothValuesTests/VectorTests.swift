import Testing

@testable import BluetoothValues

/// A payload and what it means, as an independent implementation decodes it.
struct Vector: Sendable, CustomTestStringConvertible {
    let format: SensorFormat
    let section: AdvertisedSection
    let address: SenderAddress?
    let name: String?
    let key: String?
    let measurements: [SensorMeasurement]
    let absent: [Quantity]
    var testDescription: String { format.rawValue + " " + HexText.text(section.bytes) }

    init(
        _ format: SensorFormat, _ kind: AdvertisedSection.Kind, _ identifier: UInt16, _ hexadecimal: String,
        address: SenderAddress? = nil, name: String? = nil, key: String? = nil, _ measurements: [SensorMeasurement],
        absent: [Quantity] = []
    ) {
        self.format = format
        section = AdvertisedSection(kind, identifier, HexText.bytes(hexadecimal) ?? [])
        self.address = address
        self.name = name
        self.key = key
        self.measurements = measurements
        self.absent = absent
    }

    /// Data that includes the company identifier.
    init(
        _ format: SensorFormat, whole: String, name: String, _ measurements: [SensorMeasurement],
        absent: [Quantity] = []
    ) {
        let section = WholeManufacturerData.split(HexText.bytes(whole) ?? [])
        self.init(
            format, .manufacturer, section.identifier, HexText.text(section.bytes), name: name, measurements,
            absent: absent)
    }
}

struct VectorTests {
    @Test(arguments: Vector.all) func `A known payload decodes to the values of its device`(vector: Vector) throws {
        var decoder = SensorDecoder()
        if let key = vector.key, let address = vector.address { decoder.keys[address] = DeviceKey(key) }
        let result = decoder.decode(vector.section, from: vector.address, name: vector.name)
        guard case .reading(let reading) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reading.format == vector.format)
        #expect(reading.isEncrypted == (vector.key != nil))
        for expected in vector.measurements {
            let found = reading.measurements.first {
                $0.quantity == expected.quantity && $0.index == expected.index
            }
            let value = try #require(found?.value, "\(expected.quantity)")
            #expect(abs(value - expected.value) <= 0.005 * max(1, abs(expected.value) / 1000), "\(expected)")
            #expect(found?.unit == expected.unit)
        }
        for quantity in vector.absent { #expect(reading.value(of: quantity) == nil, "\(quantity)") }
    }

    @Test func `All formats except the recognised ones have a vector`() {
        let covered = Set(Vector.all.map(\.format))
        let formats = SensorFormat.allCases.filter { !$0.isRecognisedOnly }
        #expect(formats.filter { !covered.contains($0) } == [])
    }
}

extension Vector {
    static let all: [Vector] = open + encrypted + devices + air + captured

    private static func celsius(_ value: Double) -> SensorMeasurement { .init(.temperature, value, .celsius) }
    private static func humidity(_ value: Double) -> SensorMeasurement { .init(.humidity, value, .percent) }
    private static func battery(_ value: Double) -> SensorMeasurement { .init(.batteryLevel, value, .percent) }
    private static func pressure(_ value: Double) -> SensorMeasurement { .init(.pressure, value, .hectopascal) }
    private static func volts(_ value: Double) -> SensorMeasurement { .init(.voltage, value, .volt) }
    private static func carbon(_ value: Double) -> SensorMeasurement { .init(.carbonDioxide, value, .partsPerMillion) }

    private static let open: [Vector] = [
        Vector(.bthome, .service, 0xFCD2, "4002ca0903bf13", [celsius(25.06), humidity(50.55)]),
        Vector(
            .bthome, .service, 0xFCD2, "400009015d025d0903b718", [battery(93), celsius(23.97), humidity(63.27)]),
        Vector(.bthome, .service, 0xFCD2, "4002ca0903bf", [celsius(25.06)]),
        Vector(.bthome, .service, 0xFCD2, "4003bf1302ca09", [celsius(25.06), humidity(50.55)]),
        Vector(
            .miBeacon, .service, 0xFE95, "5020aa01a3bf2e3b342d580d1004b40095020a10013b",
            [celsius(18.0), humidity(66.1), battery(59)]),
        Vector(
            .ruuvi, .manufacturer, 0x0499, "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
            [
                celsius(24.3), humidity(53.49), pressure(1000.44), volts(2.977),
                .init(.transmitPower, 4, .decibelMilliwatt), .init(.movementCount, 66, .none),
                .init(.accelerationX, 0.004, .standardGravity), .init(.accelerationZ, 1.036, .standardGravity),
            ]),
        Vector(
            .ruuvi, .manufacturer, 0x0499, "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
            [
                celsius(163.835), pressure(1155.34), volts(3.646),
                .init(.transmitPower, 20, .decibelMilliwatt), .init(.movementCount, 254, .none),
            ],
            // The largest number of the field is 163.835 %, which no air has.
            absent: [.humidity]),
        Vector(
            .ruuvi, .manufacturer, 0x0499, "058001000000008001800180010000000000CBB8334C884F",
            [
                celsius(-163.835), humidity(0), pressure(500), volts(1.6),
                .init(.transmitPower, -40, .decibelMilliwatt), .init(.movementCount, 0, .none),
            ]),
        Vector(
            .ruuvi, .manufacturer, 0x0499, "03291A1ECE1EFC18F94202CA0B53",
            [celsius(26.3), humidity(20.5), pressure(1027.66), volts(2.899)]),
        Vector(
            .ruuvi, .manufacturer, 0x0499, "06144E40F8C915000602193200A34BBDC0FF00FF",
            [celsius(25.99), humidity(41.58), pressure(1014.77), carbon(537)]),
        Vector(
            .ruuvi, .manufacturer, 0x0499,
            "E1170C5668C79E0065007004BD11CA00C90A0213E0AC000000DECDEE110000000000CBB8334C884F",
            [celsius(29.5), humidity(55.3), pressure(1011.02), carbon(201), .init(.illuminance, 13027, .lux)]),
        Vector(
            .iBeacon, .manufacturer, 0x004C, "0215fda50693a4e24fb1afcfc6eb07647825000100021a",
            [.init(.calibratedPower, 26, .decibelMilliwatt)]),
        Vector(
            .tilt, .manufacturer, 0x004C, "0215a495bb10c5b14b44b5121370f02d74de004403f8c5",
            [.init(.temperature, 68, .fahrenheit), .init(.specificGravity, 1.016, .specificGravity)]),
        Vector(
            .altBeacon, .manufacturer, 0x0118, "BEAC00112233445566778899AABBCCDDEEFF00010002C500",
            [.init(.calibratedPower, -59, .decibelMilliwatt)]),
        Vector(
            .eddystone, .service, 0xFEAA, "10ee037275752e76692f23416a7759414d4666",
            [.init(.calibratedPower, -18, .decibelMilliwatt)]),
        Vector(.environmentalSensing, .service, 0x2A6E, "6409", [celsius(24.04)]),
    ]

    private static let encrypted: [Vector] = [
        Vector(
            .bthome, .service, 0xFCD2, "41a47266c95f730011223378237214", address: "54:48:E6:8F:80:A5",
            key: "231d39c1d7cc1ab1aee224cd096db932", [celsius(25.06), humidity(50.55)]),
        Vector(
            .bthome, .service, 0xFCD2, "4187b90011223372b0231f", address: "54:48:E6:8F:80:A5",
            key: "231d39c1d7cc1ab1aee224cd096db932", []),
        Vector(
            .bthome, .service, 0xFCD2, "450aeb84467f85ba0100003188788c", address: "B4:35:22:F5:3D:A4",
            key: "90bffd73cb6b26ef58a7a8eba9232036", [battery(100)]),
        Vector(
            .miBeacon, .service, 0xFE95, "58585b0550f4830238c1a495ef58763c26000097e2abb5",
            address: "A4:C1:38:02:83:F4", key: "e9ea895fac7cca6d30532432a516f3a8", [humidity(46.7)]),
        Vector(
            .miBeacon, .service, 0xFE95, "5858e4162c84535638c1a42b6ef2e91200006c884d9e",
            address: "A4:C1:38:56:53:84", key: "a115210eed7a88e50ad52662e732a9fb", [humidity(58)]),
        Vector(
            .miBeacon, .service, 0xFE95, "5859970966bc9ce344ef5401081205000000715ebe90",
            address: "54:EF:44:E3:9C:BC", key: "5b51a7c91cde6707c9ef18dfda143a58", []),
        Vector(
            .miBeacon, .service, 0xFE95, "5830b603d28b98c54124f8c3491476757e00000099",
            address: "F8:24:41:C5:98:8B", key: "b853075158487ca39a5b5ea9", []),
        Vector(
            .victron, .manufacturer, 0x02E1, "100289a302b040af925d09a4d89aa0128bdef48c6298a9",
            address: "C0:00:00:00:00:01", key: "aff4d0995b7d1e176c0c33ecb9e70dcd",
            [volts(12.53), .init(.stateOfCharge, 50, .percent)]),
        Vector(
            .victron, .manufacturer, 0x02E1, "100242a0016207adceb37b605d7e0ee21b24df5c",
            address: "C0:00:00:00:00:02", key: "adeccb947395801a4dd45a2eaa44bf17",
            [volts(13.88), .init(.current, 1.4, .ampere), .init(.power, 19, .watt)]),
    ]

    private static let devices: [Vector] = [
        Vector(
            .atc1441, .service, 0x181A, "a4c1380283f400a22f5f0bf819",
            [celsius(16.2), humidity(47), battery(95), volts(3.064)]),
        Vector(
            .pvvx, .service, 0x181A, "f4830238c1a4a9066911b60b58f70d",
            [celsius(17.05), humidity(44.57), battery(88), volts(2.998)]),
        Vector(
            .bParasite, .service, 0x181A, "110b0aa1542cbca1fffff0caf0ca0201",
            [celsius(21.548), humidity(73.68), volts(2.721), .init(.moisture, 100, .percent)]),
        Vector(.govee, .manufacturer, 0xEC88, "000418ee6400", [celsius(26.8), humidity(52.6), battery(100)]),
        Vector(.govee, .manufacturer, 0xEC88, "0088078c116402", [celsius(19.28), humidity(44.92), battery(100)]),
        Vector(.inkbird, whole: "660a03150010805908", name: "sps", [celsius(26.62), humidity(53.79), battery(89)]),
        Vector(.thermoPro, whole: "c2170127022c", name: "TP357 (1234)", [celsius(27.9), humidity(39), battery(100)]),
        Vector(.switchBot, .manufacturer, 0x0969, "aabbccddeeff4a0109962f", [celsius(22.9), humidity(47)]),
        Vector(.switchBot, .service, 0xFD3D, "6900640098a6", [celsius(24), humidity(38), battery(100)]),
        Vector(
            .oralB, .manufacturer, 0x00DC, "03210b0328041107373804", [.init(.duration, 257, .second)]),
        Vector(.mopeka, .manufacturer, 0x0059, "035d41a4c150a8cc0323", [celsius(25)]),
    ]

    private static let air: [Vector] = [
        Vector(
            .qingping, .service, 0xFDCD, "08096F1C40342D580104BE000D0207027226020157",
            [celsius(19), humidity(52.5), pressure(984.2), battery(87)]),
        Vector(
            .sensirion, .manufacturer, 0x06D5, "000867355067925c0b04", [celsius(25.62), humidity(36.16), carbon(1035)]),
        Vector(.miScale, .service, 0x181D, "229e43e507040b101301", [.init(.mass, 86.55, .kilogram)]),
        Vector(
            .miScale, .service, 0x181B, "0226b20705040f0201ac018642",
            [.init(.mass, 85.15, .kilogram), .init(.impedance, 428, .ohm)]),
        Vector(
            .aranet, .manufacturer, 0x0702, "210e0401000c0f016f030802681f1362012c018c00b9",
            [carbon(879), celsius(26), pressure(804), humidity(19)]),
        Vector(
            .aranet, .manufacturer, 0x0702, "022126040100602d0000089805006e000064002c01fd00c7",
            [
                .init(.radiationDose, 11.616, .microsievert), .init(.radiationDoseRate, 0.11, .microsievertPerHour),
                .init(.duration, 366_600, .second), battery(100),
            ]),
        Vector(
            .aranet, .manufacturer, 0x0702, "03210406010000000700fe01c927ce010064015802f60108",
            [
                .init(.radon, 7, .becquerelPerCubicMetre), celsius(25.5), pressure(1018.5), humidity(46.2),
                battery(100),
            ]),
        // The fields of Sensirion's specification at their limits.
        Vector(
            .sensirion, .manufacturer, 0x06D5, "001A1234FFFFFFFF0102F40101000A00",
            [celsius(130), humidity(100), carbon(513), .init(.vocIndex, 500, .none), .init(.noxIndex, 1, .none)]),
        Vector(
            .sensirion, .manufacturer, 0x06D5, "002212340A0014001E002800",
            [
                .init(.particles1, 1, .microgramPerCubicMetre), .init(.particles2_5, 2, .microgramPerCubicMetre),
                .init(.particles4, 3, .microgramPerCubicMetre), .init(.particles10, 4, .microgramPerCubicMetre),
            ]),
    ]
}
