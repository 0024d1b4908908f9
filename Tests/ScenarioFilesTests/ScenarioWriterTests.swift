import RxBluetoothMocks
import RxBluetoothSupport
import Testing

@testable import ScenarioFiles

/// Tests of writing scenarios.
struct ScenarioWriterTests {
    private func peripheral() -> DescribedPeripheral {
        var peripheral = DescribedPeripheral("Strap", address: "C0:FF:EE:00:00:01", isRandom: false)
        peripheral.comment = "A comment\nof two lines"
        var advertisement = SimulatedAdvertisement(
            every: .milliseconds(120), rssi: -61, name: "Strap \u{1F3C3}", connectable: false, txPower: -4,
            services: ["180d", "6e400001-b5a3-f393-e0a9-e50e24dcca9e"], manufacturerData: [0x004C: [2, 0x15]],
            serviceData: ["fcd2": [0x40]], appearance: 833, flags: nil)
        advertisement.jitter = 0
        peripheral.advertisement = advertisement
        peripheral.mtu = 247
        var service = DescribedPeripheral.Service("180d", isPrimary: false)
        var measurement = DescribedPeripheral.Characteristic("2a37", properties: 0x12)
        measurement.value = [0, 61]
        measurement.notifications = DescribedPeripheral.Notifications(every: .seconds(1), [[0, 62], []])
        measurement.descriptors = [DescribedPeripheral.Descriptor("2901", Array("Beats".utf8))]
        measurement.protection = .encryption
        measurement.comment = "Remark"
        service.characteristics = [measurement, DescribedPeripheral.Characteristic("2a39", properties: 0x0C)]
        peripheral.services = [service]
        return peripheral
    }

    @Test func `A written scenario is read with the same values`() throws {
        let text = ScenarioWriter.text([peripheral()], comment: ["Top"])
        let scenario = try ScenarioFile.read(text)
        let read = try #require(scenario.peripherals.first)
        #expect(read.name == "Strap")
        #expect(read.address == "C0:FF:EE:00:00:01")
        #expect(read.addressType == .public)
        #expect(read.connection.mtu == 247)
        let advertisement = try #require(read.advertisement)
        #expect(advertisement.interval == .milliseconds(120))
        #expect(advertisement.rssi == -61)
        #expect(advertisement.name == Array("Strap \u{1F3C3}".utf8))
        #expect(!advertisement.isConnectable)
        #expect(advertisement.txPower == -4)
        #expect(advertisement.services == ["180d", "6e400001-b5a3-f393-e0a9-e50e24dcca9e"])
        #expect(advertisement.manufacturerData == [0x004C: [2, 0x15]])
        #expect(advertisement.serviceData == ["fcd2": [0x40]])
        #expect(advertisement.appearance == 833)
        #expect(advertisement.flags == nil)
        let service = try #require(read.services.first)
        #expect(!service.isPrimary)
        #expect(service.characteristics.map(\.uuid) == ["2a37", "2a39"])
        #expect(service.characteristics.map(\.behaviours.count) == [2, 2])
        #expect(service.characteristics[0].descriptors.map(\.value) == [Array("Beats".utf8)])
        #expect(text.hasPrefix("# Top\n"))
    }

    @Test func `A scenario without peripherals is valid`() throws {
        #expect(try ScenarioFile.read(ScenarioWriter.text([])).peripherals.isEmpty)
    }

    @Test(arguments: [UInt64](1...20)) func `A name of any characters is read back`(_ seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        for _ in 0..<50 {
            var name = ""
            let limit: UInt32 = [0x20, 0x7F, 0x100, 0x3000, 0x11_0000].randomElement(using: &dice)!
            for _ in 0..<Int.random(in: 0...20, using: &dice) {
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &dice)) {
                    name.unicodeScalars.append(scalar)
                }
            }
            var peripheral = DescribedPeripheral(name, address: "C0:FF:EE:00:00:01", isRandom: true)
            peripheral.comment = name
            peripheral.advertisement = SimulatedAdvertisement(every: .seconds(1), rssi: -50, name: name)
            let text = ScenarioWriter.text([peripheral], comment: [name])
            let read = try ScenarioFile.read(text)
            #expect(read.peripherals.first.map { Array($0.name.unicodeScalars) } == Array(name.unicodeScalars))
            #expect(read.peripherals.first?.advertisement?.name == Array(name.utf8))
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        }
    }

    @Test func `Values beyond the limits of a file are shortened`() throws {
        var peripheral = DescribedPeripheral("Long", address: "C0:FF:EE:00:00:01", isRandom: true)
        var advertisement = SimulatedAdvertisement(
            every: .microseconds(1), rssi: -128, name: String(repeating: "é", count: 200), txPower: 127,
            manufacturerData: [1: [UInt8](repeating: 1, count: 300)])
        advertisement.flags = 255
        peripheral.advertisement = advertisement
        peripheral.mtu = 5
        let read = try #require(try ScenarioFile.read(ScenarioWriter.text([peripheral])).peripherals.first)
        #expect(read.advertisement?.name?.count == 248)
        #expect(read.advertisement?.rssi == -127)
        #expect(read.advertisement?.txPower == nil)
        #expect(read.advertisement?.manufacturerData[1]?.count == 252)
        #expect(read.connection.mtu == 23)
    }
}
