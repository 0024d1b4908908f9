import Testing

@testable import RxBluetooth

struct BluetoothAddressTests {
    @Test(arguments: ["c0:ff:ee:00:00:01", "C0:FF:EE:00:00:01"])
    func `An address parses from text and prints in upper case`(text: String) {
        #expect(BluetoothAddress(text)?.description == "C0:FF:EE:00:00:01")
        #expect(BluetoothAddress(text)?.number == 0xC0FF_EE00_0001)
        #expect(BluetoothAddress(0xC0FF_EE00_0001).text(separator: "_") == "C0_FF_EE_00_00_01")
    }

    @Test(arguments: [
        "", "C0:FF:EE:00:00", "C0-FF-EE-00-00-01", "C0:FF:EE:00:00:0G", "C0:FF:EE:00:00:01:", "C0FFEE000001",
    ])
    func `Malformed text gives no address`(text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func `A known company identifier has a name, and an unknown one has none`() {
        #expect(CompanyName.of(0x004C)?.hasPrefix("Apple") == true)
        #expect(CompanyName.of(0xFFFE) == nil)
        #expect(CompanyName.of(0xFFFF) == nil)
    }
}
