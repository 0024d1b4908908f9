import Testing

@testable import RxBluetooth

struct BluetoothUUIDTests {
    @Test(arguments: ["180D", "180d", "0000180D", "0000180d-0000-1000-8000-00805f9b34fb"])
    func `All text forms of a UUID are equal`(text: String) {
        #expect(BluetoothUUID(text) == BluetoothUUID(0x180D as UInt16))
        #expect(BluetoothUUID(text)?.description == "180D")
    }

    @Test(arguments: [
        "", "1", "180", "180DD", "180G", "0x180D", "0000180d00001000800000805f9b34fb",
        "0000180d-0000-1000-8000-00805f9b34f", "0000180d-0000-1000-8000+00805f9b34fb", "１８０Ｄ", "é80D",
    ])
    func `Malformed text gives no UUID`(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `A 128-bit UUID prints in full and has no short number`() {
        let text = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        #expect(BluetoothUUID(text)?.description == text)
        #expect(BluetoothUUID(text)?.shortNumber == nil)
    }

    @Test func `A 32-bit UUID is not shortened to 16 bits`() {
        let uuid = BluetoothUUID(0x1234_5678 as UInt32)
        #expect(uuid.description == "12345678")
        #expect(uuid.longText == "12345678-0000-1000-8000-00805F9B34FB")
        #expect(uuid.shortNumber == nil)
    }

    @Test func `SIG names and UUIDs map in both directions`() {
        #expect(BluetoothUUID(0x2A37 as UInt16).name == "Heart Rate Measurement")
        #expect(BluetoothUUID.characteristic(named: "heart rate measurement") == 0x2A37)
        #expect(BluetoothUUID(0x180D as UInt16).name == "Heart Rate")
        #expect(BluetoothUUID(0xFFE1 as UInt16).name == nil)
        #expect(BluetoothUUID.characteristic(named: "Heart Rate") == nil)
        #expect(BluetoothUUID.service(named: "heart rate") == 0x180D)
        #expect(BluetoothUUID.service(named: "Heart Rate Measurement") == nil)
    }

    @Test func `The tables of assigned names are complete`() {
        #expect(AssignedNames.services.count == 52)
        #expect(AssignedNames.descriptors.count == 15)
        #expect(AssignedNames.characteristics.count == 268)
    }
}
