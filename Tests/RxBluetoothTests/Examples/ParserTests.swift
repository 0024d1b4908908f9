import RxBluetooth
import Testing

/// A reading of a thermometer that advertises hundredths of a degree as data of its manufacturer.
struct CellarTemperature: Equatable {
    let sensor: String
    let degrees: Double

    init?(_ scanned: ScannedPeripheral) {
        guard let data = scanned.advertisementData.manufacturerData[0x0499], data.count == 2 else { return nil }
        sensor = scanned.advertisementData.localName ?? scanned.peripheral.address.description
        degrees = Double(Int16(bitPattern: UInt16(data[0]) | UInt16(data[1]) << 8)) / 100
    }
}

@Test func aParserNeedsNoRadio() {
    let peripheral = Peripheral(address: "C0:FF:EE:00:00:07")
    let frost = AdvertisementData(localName: "Cellar", manufacturerData: [0x0499: [0x0C, 0xFE]])
    let reading = CellarTemperature(ScannedPeripheral(peripheral: peripheral, advertisementData: frost, rssi: -60))
    #expect(reading?.sensor == "Cellar" && reading?.degrees == -5)
    #expect(CellarTemperature(ScannedPeripheral(peripheral: peripheral)) == nil)
}
