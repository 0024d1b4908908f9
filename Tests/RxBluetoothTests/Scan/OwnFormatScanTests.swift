import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Scans for formats of a program.
struct OwnFormatScanTests {
    private static let address = "C0:00:00:00:00:01"
    private static let data: [UInt16: [UInt8]] = [0x1234: [0x01, 0x2A]]

    @Test(.proves(.S129)) func `A scan for an own format emits typed values, and its readings`() {
        let stage = Stage(with: [.beacon(Self.address, manufacturerData: Self.data)])
        let values = stage.record(stage.manager.scan(for: Counter.self))
        let results = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(values.elements.first?.value.count == 42)
        #expect(values.elements.first?.reading.format == .custom("counter"))
        #expect(results.elements.last?.reading?.value(of: .count) == 42)
    }

    @Test(.proves(.S127)) func `A scan result has the value of an own format, also without a manager`() {
        let scanned = ScannedPeripheral(
            peripheral: Peripheral(address: "C0:00:00:00:00:01"),
            advertisementData: AdvertisementData(manufacturerData: Self.data))
        #expect(scanned.reading == nil)
        #expect(scanned.value(as: Counter.self)?.count == 42)
        #expect(scanned.value(as: RuuviTag.self) == nil)
    }

    @Test(.proves(.S127)) func `Readings have the formats of the configuration`() {
        let stage = Stage(with: [.beacon(Self.address, manufacturerData: Self.data)])
        var configuration = BluetoothManager.Configuration(scheduler: stage.scheduler)
        configuration.formats = [Counter.self]
        let manager = BluetoothManager(configuration: configuration, bus: stage.simulation.connect())
        let results = stage.record(manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(results.elements.first?.reading?.format == .custom("counter"))
    }

    @Test(arguments: [[0xF1, 0xF7, 0xF2], [0xF7, 0xF3, 0xF1]] as [[UInt8]])
    func `Of the values in the company identifier of an own format, the newest counts`(values: [UInt8]) {
        func advertisement(_ value: UInt8) -> SimulatedAdvertisement {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, manufacturerData: [UInt16(value) << 8 | 0xD7: [1]],
                firstAfter: .zero)
        }
        let scenario = Scenario(peripherals: [
            SimulatedPeripheral("", address: Self.address) { advertisement(values[0]) }
        ])
        let stage = Stage.withSockets(scenario).0
        var configuration = BluetoothManager.Configuration(scheduler: stage.scheduler)
        configuration.formats = [CompanyThermometer.self]
        let manager = BluetoothManager(configuration: configuration, bus: stage.simulation.connect())
        let options = ScanOptions(
            allowsDuplicates: true, source: .dbus, mode: .passive(patterns: AdvertisementPattern.almostAll))
        let scan = stage.record(manager.scanForPeripherals(options: options))
        for value in values {
            stage.simulation.bluez.advertise(advertisement(value), from: Self.address)
            stage.advance(1_000)
            let found = scan.elements.last?.readings.compactMap { $0.value(of: .count) }
            #expect(found == [Double(value)])
        }
        #expect((scan.elements.last?.advertisementData.manufacturerData.count ?? 0) > 1)
    }

    @Test(.proves(.S127)) func `An advertisement is decoded only when its reading is requested`() throws {
        let stage = Stage(with: [.beacon(Self.address, manufacturerData: Self.data)])
        var configuration = BluetoothManager.Configuration(scheduler: stage.scheduler)
        configuration.formats = [CountedFormat.self]
        let manager = BluetoothManager(configuration: configuration, bus: stage.simulation.connect())
        let results = stage.record(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(1_000)
        try #require(results.elements.count > 5)
        #expect(CountedFormat.decodings.withLock { $0 } == 0)
        let result = results.elements[0]
        let readings = (1...3).map { _ in result.reading }
        #expect(readings.allSatisfy { $0?.format == .custom("counted") && $0 == readings[0] })
        let decoded = CountedFormat.decodings.withLock { $0 }
        #expect((1...3).contains(decoded))
        stage.advance(1_000)
        #expect(CountedFormat.decodings.withLock { $0 } == decoded)
    }
}

/// A format that counts how often it is decoded.
private struct CountedFormat: AdvertisementFormat {
    static let format = SensorFormat.custom("counted")
    static let decodings = Guarded(0)

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == 0x1234
    }

    var reading: SensorReading { SensorReading(format: Self.format) }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        Self.decodings.withLock { $0 += 1 }
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(0x1234, [0x01, 0x2A])
    }
}

/// A format with one number.
private struct Counter: AdvertisementFormat {
    static let format = SensorFormat.custom("counter")
    var count: Int

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == 0x1234
    }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        guard section.bytes.count == 2 else {
            throw ValueDecodingError("counter", .tooShort(needed: 2), bytes: section.bytes)
        }
        count = Int(section.bytes[1])
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(0x1234, [0x01, UInt8(clamping: count)])
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format)
        reading.measurements = [SensorMeasurement(.count, Double(count), .none)]
        return reading
    }
}

/// A format with its value in the place of the company.
private struct CompanyThermometer: AdvertisementFormat {
    static let format = SensorFormat.custom("company-thermometer")
    static let hasMeasuredIdentifier = true
    var value: UInt8

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier & 0xFF == 0xD7
    }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        value = UInt8(section.identifier >> 8)
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(UInt16(value) << 8 | 0xD7, [1])
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format)
        reading.measurements = [SensorMeasurement(.count, Double(value), .none)]
        return reading
    }
}
