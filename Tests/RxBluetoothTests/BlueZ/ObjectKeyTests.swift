import TestTraits
import Testing

@testable import RxBluetooth

struct ObjectKeyTests {
    private let device = DeviceKey(adapter: 1, address: "F0:F1:F2:F3:F4:10")

    private func key(_ path: String) -> ObjectKey? { ObjectKey(path: path.utf8.span) }

    @Test func `A path gives the key of each kind of object`() {
        let path = "/org/bluez/hci1/dev_F0_F1_F2_F3_F4_10"
        let characteristic = CharacteristicKey(device: device, service: 0x0A, handle: 0x0B)
        #expect(key("/org/bluez/hci1") == .adapter(1))
        #expect(key(path) == .device(device))
        #expect(key("\(path)/service000a") == .service(device, 0x0A))
        #expect(key("\(path)/service000a/char000b") == .characteristic(characteristic))
        #expect(key("\(path)/service000a/char000b/desc000d") == .descriptor(characteristic, 0x0D))
    }

    @Test func `A path made from a key parses to the same key`() {
        let characteristic = CharacteristicKey(device: device, service: 0xFFFE, handle: 0xABCD)
        #expect(key(device.path) == .device(device))
        #expect(key(characteristic.path) == .characteristic(characteristic))
        #expect(key(characteristic.descriptorPath(0xFFFF)) == .descriptor(characteristic, 0xFFFF))
    }

    @Test(.proves(.Q24)) func `Hci1 and hci10 are different adapters`() {
        #expect(key("/org/bluez/hci10/dev_F0_F1_F2_F3_F4_10") != .device(device))
        #expect(key("/org/bluez/hci10") == .adapter(10))
    }

    @Test(arguments: [
        "", "/", "/org/bluez", "/org/bluez/hci", "/org/bluez/hciX", "/org/bluez/hci99999999", "/org/bluez/test",
        "/org/bluez/hci0/dev_F0_F1", "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_1G", "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_10/",
        "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_10/player0", "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_10/service000",
        "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_10/service000a/char000b/desc000dd",
    ])
    func `Malformed and foreign paths have no key`(path: String) {
        #expect(key(path) == nil)
    }
}
