import RxBluetooth
import Testing

@Test func aParserReadsARecordedPacket() {
    let packet: [UInt8] = [2, 0x01, 0x06, 5, 0xFF, 0x99, 0x04, 0x0C, 0xFE, 7, 0x09] + Array("Cellar".utf8)
    let frost = AdvertisementData(packet: packet)
    let reading = CellarTemperature(
        ScannedPeripheral(peripheral: Peripheral(address: "C0:FF:EE:00:00:07"), advertisementData: frost))
    #expect(reading?.sensor == "Cellar" && reading?.degrees == -5)
    #expect(frost.structures.map(\.type) == [0x01, 0xFF, 0x09])
}
