import FoundationEssentials
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The readings of advertisements.
struct SensorReadingTests {
    private static let ruuvi = HexDigits.bytes("0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F")
    private static let encrypted = "54:48:E6:8F:80:A5"
    private static let key = "231d39c1d7cc1ab1aee224cd096db932"

    private static func keys(_ key: String = key) -> KeyStore {
        var keys = KeyStore()
        keys["54:48:E6:8F:80:A5"] = DeviceKey(key)
        return keys
    }

    private func scanned(_ data: AdvertisementData, _ address: BluetoothAddress = "C0:00:00:00:00:01")
        -> ScannedPeripheral
    {
        ScannedPeripheral(peripheral: Peripheral(address: address), advertisementData: data)
    }

    @Test(.proves(.S127)) func `A scan result has a reading without a manager`() {
        let tag = scanned(AdvertisementData(manufacturerData: [0x0499: Self.ruuvi]))
        #expect(tag.reading?.format == .ruuvi)
        #expect(tag.reading?.value(of: .temperature) == 24.3)
        #expect(tag.reading == tag.reading)
        #expect(tag.readingFailure == nil)
        #expect(tag.value(as: RuuviTag.self)?.humidity == 53.49)
        #expect(tag.value(as: BTHome.self) == nil)
        let lamp = scanned(AdvertisementData(localName: "Lamp", manufacturerData: [0x0059: [1]]))
        #expect(lamp.reading == nil)
        #expect(lamp.readings == [])
        #expect(lamp.readingFailure == nil)
    }

    @Test func `A reading with values precedes that of a phone`() {
        let data = AdvertisementData(
            manufacturerData: [0x004C: [0x10, 0x01], 0x0499: Self.ruuvi], serviceData: [0x1234: [1]])
        let both = scanned(data)
        #expect(both.readings.map(\.format) == [.appleContinuity, .ruuvi])
        #expect(both.reading?.format == .ruuvi)
        #expect(scanned(AdvertisementData(manufacturerData: [0x004C: [0x10, 0x01]])).reading?.measurements == [])
    }

    @Test func `A recorded packet has the sections that it contains`() {
        let packet: [UInt8] = [2, 0x01, 0x06, 5, 0x16, 0xD2, 0xFC, 0x40, 0x05, 2, 0x16, 0xD2]
        let sections = AdvertisementData(packet: packet).sections
        #expect(sections == [.structure(1, [6]), .service(0xFCD2, [0x40, 0x05])])
        let merged = AdvertisementData(
            manufacturerData: [2: [1], 1: []], serviceData: [0x181A: [2], "6E400003-B5A3-F393-E0A9-E50E24DCCA9E": [3]])
        #expect(merged.sections == [.manufacturer(1, []), .manufacturer(2, [1]), .service(0x181A, [2])])
    }

    @Test func `A single entry has its section, and a long UUID has none`() {
        #expect(AdvertisementData().sections == [])
        #expect(AdvertisementData(manufacturerData: [2: [1]]).sections == [.manufacturer(2, [1])])
        #expect(AdvertisementData(serviceData: [0x181A: [2]]).sections == [.service(0x181A, [2])])
        #expect(AdvertisementData(serviceData: ["6E400003-B5A3-F393-E0A9-E50E24DCCA9E": [3]]).sections == [])
        let both = AdvertisementData(manufacturerData: [2: [1]], serviceData: [0x181A: [2]])
        #expect(both.sections == [.manufacturer(2, [1]), .service(0x181A, [2])])
    }

    @Test(arguments: ["40", "4002", "4002ca", "40ff00", "41", "41a472", ""])
    func `A malformed or encrypted advertisement has the reason and no reading`(digits: String) {
        let bytes = HexDigits.bytes(digits)
        let device = scanned(AdvertisementData(serviceData: [0xFCD2: bytes]))
        if let failure = device.readingFailure {
            #expect(device.reading == nil)
            #expect(failure.bytes == bytes)
        } else {
            #expect(device.reading?.measurements == [])
        }
        #expect(device.value(as: BTHome.self) == nil || device.readingFailure == nil)
    }

    /// Tenths of a degree, whose lower byte is a part of the company identifier.
    private static func thermometer(_ tenths: UInt8) -> SimulatedAdvertisement {
        SimulatedAdvertisement(
            every: .milliseconds(100), rssi: -60, name: "TP357 (0A01)",
            manufacturerData: [UInt16(tenths) << 8 | 0xC2: [0x00, 0x27, 0x02, 0x2C]], firstAfter: .zero)
    }

    @Test(arguments: [[0xF0, 0xF1, 0xF5, 0xF7], [0xF7, 0xF3, 0xF1], [0xF5, 0xF7, 0xF2, 0xF6]] as [[UInt8]])
    func `A passive scan shows the newest value of a thermometer`(tenths: [UInt8]) {
        let address = "C0:00:00:00:00:01"
        let peripheral = SimulatedPeripheral("", address: address) { Self.thermometer(tenths[0]) }
        let stage = Stage.withSockets(Scenario(peripherals: [peripheral])).0
        // The name is in the scan response, which a passive scan does not request.
        let active = stage.manager.scanForPeripherals(options: ScanOptions(source: .dbus)).subscribe()
        stage.advance(1_000)
        active.dispose()
        stage.advance(1_000)
        let options = ScanOptions(
            allowsDuplicates: true, source: .dbus, mode: .passive(patterns: AdvertisementPattern.almostAll))
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        for value in tenths {
            stage.simulation.bluez.advertise(Self.thermometer(value), from: address)
            stage.advance(1_000)
            guard let last = scan.elements.last else {
                Issue.record("The scan is silent")
                return
            }
            #expect(last.reading?.value(of: .temperature) == Double(value) / 10)
            #expect(last.readings.count == 1)
        }
    }

    @Test func `A program that starts later shows no collected value until one changes`() {
        let address = "C0:00:00:00:00:01"
        let peripheral = SimulatedPeripheral("", address: address) { Self.thermometer(0xF0) }
        let stage = Stage.withSockets(Scenario(peripherals: [peripheral])).0
        let active = stage.manager.scanForPeripherals(options: ScanOptions(source: .dbus)).subscribe()
        stage.advance(1_000)
        active.dispose()
        stage.advance(1_000)
        let options = ScanOptions(
            allowsDuplicates: true, source: .dbus, mode: .passive(patterns: AdvertisementPattern.almostAll))
        let first = stage.record(stage.manager.scanForPeripherals(options: options))
        for value in [0xF5, 0xF1] as [UInt8] {
            stage.simulation.bluez.advertise(Self.thermometer(value), from: address)
            stage.advance(1_000)
        }
        #expect(first.elements.last?.advertisementData.manufacturerData.count == 3)
        let other = BluetoothManager(
            configuration: .init(scheduler: stage.scheduler), bus: stage.simulation.connect())
        let later = stage.record(other.scanForPeripherals(options: options))
        stage.advance(1_000)
        #expect(later.elements.last?.advertisementData.manufacturerData.count == 3)
        #expect(later.elements.allSatisfy { $0.readings.isEmpty })
        stage.simulation.bluez.advertise(Self.thermometer(0xF7), from: address)
        stage.advance(1_000)
        #expect(later.elements.last?.reading?.value(of: .temperature) == 24.7)
        #expect(first.elements.last?.reading?.value(of: .temperature) == 24.7)
    }

    @Test func `A passive scan shows the newest value of an Inkbird thermometer`() {
        let address = "C0:00:00:00:00:01"
        func thermometer(_ hundredths: UInt16) -> SimulatedAdvertisement {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, name: "sps",
                manufacturerData: [hundredths: [0xC7, 0x12, 0x00, 0xC8, 0x3D, 0x56, 0x06]], firstAfter: .zero)
        }
        let values: [UInt16] = [2044, 2101, 1995, 2050]
        let peripheral = SimulatedPeripheral("", address: address) { thermometer(values[0]) }
        let stage = Stage.withSockets(Scenario(peripherals: [peripheral])).0
        let active = stage.manager.scanForPeripherals(options: ScanOptions(source: .dbus)).subscribe()
        stage.advance(1_000)
        active.dispose()
        stage.advance(1_000)
        let options = ScanOptions(
            allowsDuplicates: true, source: .dbus, mode: .passive(patterns: AdvertisementPattern.almostAll))
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        for value in values {
            stage.simulation.bluez.advertise(thermometer(value), from: address)
            stage.advance(1_000)
            #expect(scan.elements.last?.reading?.value(of: .temperature) == Double(value) / 100)
            #expect(scan.elements.last?.readings.count == 1)
        }
    }

    @Test func `A packet of a thermometer has the value of its time`() {
        let address = "C0:00:00:00:00:01"
        let scenario = Scenario(peripherals: [SimulatedPeripheral("", address: address) { Self.thermometer(0xF1) }])
        let stage = Stage.withSockets(scenario).0
        let options = ScanOptions(allowsDuplicates: true, source: .management)
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        for value in [0xF7, 0xF0, 0xF3] as [UInt8] {
            stage.simulation.bluez.advertise(Self.thermometer(value), from: address)
            stage.advance(1_000)
            let last = scan.elements.last { $0.reading != nil }
            #expect(last?.advertisementData.rawData != nil)
            #expect(last?.reading?.value(of: .temperature) == Double(value) / 10)
            #expect(last?.readings.count == 1)
        }
    }

    @Test func `Data of several companies is in the order of its changes, and all of it counts`() {
        let data = AdvertisementData(
            manufacturerData: [0x004C: [0x10, 0x01], 0x0499: Self.ruuvi, 0xEC88: [0, 4, 0x18, 0xEE, 0x64, 0]])
        #expect(scanned(data).readings.map(\.format) == [.appleContinuity, .ruuvi, .govee])
    }

    @Test(.proves(.S129)) func `A scan for a format emits its advertisements, and skips malformed ones`() {
        let stage = Stage(with: [
            .beacon("C0:00:00:00:00:01", manufacturerData: [0x0499: Self.ruuvi]),
            .beacon("C0:00:00:00:00:02", manufacturerData: [0x0499: [5, 1, 2]]),
            .beacon("C0:00:00:00:00:03", serviceData: ["fcd2": [0x40, 0x01, 0x5D]]),
        ])
        let events = stage.record(stage.manager.events)
        let tags = stage.record(stage.manager.scan(for: RuuviTag.self))
        let homes = stage.record(stage.manager.scan(for: BTHome.self))
        stage.advance(1_000)
        #expect(tags.elements.count > 5)
        #expect(Set(tags.elements.map(\.peripheral.address)) == ["C0:00:00:00:00:01"])
        #expect(tags.elements.first?.value.temperature == 24.3)
        #expect(tags.elements.first?.reading.isRepeated == false)
        #expect(tags.elements.last?.reading.isRepeated == true)
        #expect(tags.isLive)
        #expect(homes.elements.first?.reading.battery == 93)
        let refused = events.elements.filter { if case .readingRefused = $0.kind { true } else { false } }
        #expect(!refused.isEmpty)
        #expect(refused.first?.description.contains("ruuvi") == true)
        #expect(refused.first?.description.contains("C0:00") == false)
    }

    @Test(.proves(.S127)) func `A scan whose readings nobody requests decodes nothing`() {
        let stage = Stage(with: [.beacon("C0:00:00:00:00:02", manufacturerData: [0x0499: [5, 1, 2]])])
        let events = stage.record(stage.manager.events)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        let isRefusal = { (event: BluetoothEvent) in if case .readingRefused = event.kind { true } else { false } }
        #expect(!events.elements.contains(where: isRefusal))
        #expect(scan.elements.first?.readingFailure?.reason == .tooShort(needed: 24))
        _ = scan.elements.first?.reading
        stage.advance(1)
        #expect(events.elements.count(where: isRefusal) == 1)
    }

    /// Returns a result of each payload that a sensor sends, and the stage, whose manager has the keys.
    private func encrypted(_ keys: KeyStore, _ payloads: String...) -> (Stage, [ScannedPeripheral]) {
        let stage = Stage(
            Scenario(peripherals: [
                .beacon(Self.encrypted, serviceData: ["fcd2": HexDigits.bytes(payloads.first ?? "")])
            ]), keys: keys)
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        var results: [ScannedPeripheral] = []
        for payload in payloads {
            stage.simulation.bluez.advertise(
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -60, serviceData: ["fcd2": HexDigits.bytes(payload)],
                    firstAfter: .zero), from: Self.encrypted)
            stage.advance(1_000)
            let bytes = HexDigits.bytes(payload)
            results += scan.elements.last { $0.advertisementData.serviceData(of: 0xFCD2) == bytes }.map { [$0] } ?? []
        }
        #expect(results.count == payloads.count)
        return (stage, results)
    }

    @Test(.proves(.S128)) func `An encrypted advertisement is decoded with the key of its device`() {
        let (stage, results) = encrypted(Self.keys(), "41a47266c95f730011223378237214")
        defer { withExtendedLifetime(stage) {} }
        #expect(results.first?.reading?.value(of: .temperature) == 25.06)
        #expect(results.first?.reading?.isEncrypted == true)
        #expect(results.first?.value(as: BTHome.self)?.reading.value(of: .humidity) == 50.55)
    }

    @Test(.proves(.S127, .S128)) func `A replayed packet is refused, and each result keeps its own reading`() {
        let (stage, results) = encrypted(
            Self.keys(), "41e445f3c9962b332211006c7c4519", "413e932cc7175f34221100553876af",
            "41723d3035fb88322211009e7414c0")
        defer { withExtendedLifetime(stage) {} }
        guard results.count == 3 else { return }
        for _ in 1...2 {
            #expect(results[0].reading != nil)
            #expect(results[1].reading != nil)
            #expect(results[1].reading?.isRepeated == false)
            #expect(results[2].reading == nil)
            guard case .replayed = results[2].readingFailure?.reason else {
                Issue.record("\(String(describing: results[2].readingFailure))")
                return
            }
            #expect(results[2].value(as: BTHome.self) == nil)
        }
    }

    @Test(.proves(.S127), arguments: [false, true])
    func `The events of a repeated packet are in its first result only`(isEncrypted: Bool) throws {
        let sender = Sender(address: SenderAddress(Self.encrypted), key: isEncrypted ? DeviceKey(Self.key) : nil)
        func advertisement(_ number: UInt8) throws -> SimulatedAdvertisement {
            let objects: [BTHome.Object] = isEncrypted ? [.button(.press)] : [.packet(number), .button(.press)]
            let packet = BTHome(objects, isTriggerBased: true, counter: isEncrypted ? UInt32(number) : nil)
            return SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, serviceData: ["fcd2": try packet.section(from: sender).bytes],
                firstAfter: .zero)
        }
        let first = try advertisement(1)
        let stage = Stage(
            Scenario(peripherals: [SimulatedPeripheral("", address: Self.encrypted) { first }]),
            keys: isEncrypted ? Self.keys() : KeyStore())
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        var count = 0
        for number in [1, 2] as [UInt8] {
            stage.simulation.bluez.advertise(try advertisement(number), from: Self.encrypted)
            stage.advance(1_000)
            let readings = scan.elements.dropFirst(count).compactMap { $0.reading }
            count = scan.elements.count
            try #require(readings.count > 5)
            #expect(readings.first?.events == [.button(index: 1, .press)])
            #expect(readings.dropFirst().allSatisfy { $0.events.isEmpty && $0.isRepeated })
            let again = scan.elements.suffix(readings.count).compactMap { $0.reading }
            #expect(again == readings)
        }
    }

    @Test(.proves(.S128)) func `A missing or wrong key, and a device that stops encrypting, are refused`() {
        let sent = "41a47266c95f730011223378237214"
        for (keys, payload, reason) in [
            (KeyStore(), sent, .missingKey), (Self.keys(String(repeating: "0", count: 32)), sent, .wrongKey),
            (Self.keys(), "4002ca0903bf13", .downgraded), (Self.keys(), "403a01", .downgraded),
        ] as [(KeyStore, String, ValueDecodingError.Reason)] {
            let (stage, results) = encrypted(keys, payload)
            #expect(results.first?.readingFailure?.reason == reason)
            #expect(results.first?.reading == nil)
            #expect(results.first?.readingFailure?.description.contains("00000000") == false)
            withExtendedLifetime(stage) {}
        }
        var configuration = BluetoothManager.Configuration()
        configuration.keys = Self.keys()
        #expect(!"\(configuration)".contains(Self.key))
    }
}

/// Hexadecimal digits in tests.
enum HexDigits {
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
