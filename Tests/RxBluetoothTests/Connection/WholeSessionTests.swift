import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Whole sessions with all kinds of GATT operations, on one simulated peripheral.
struct WholeSessionTests {
    private static let address: BluetoothAddress = "C0:FF:EE:00:00:31"

    private func stage(mtu: UInt16) -> Stage {
        Stage(with: [
            SimulatedPeripheral("Mirror", address: Self.address.description) {
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -50, name: "Mirror", services: ["ff10"], firstAfter: .zero)
                SimulatedConnection(mtu: mtu)
                SimulatedService("ff10") {
                    SimulatedCharacteristic(
                        "ff11", .read([1]), .write, .writeWithoutResponse,
                        descriptors: [SimulatedDescriptor("2901", [0x41], writable: true)])
                    SimulatedCharacteristic("ff12", .notify)
                }
                SimulatedService("ff20") { SimulatedCharacteristic("ff21", .read([2]), .indicate) }
            }
        ])
    }

    @Test(.proves(.S87, .S88), .covers(.reading, .indications))
    func `A session reads back each written value and receives each notification`() {
        let stage = stage(mtu: 185)
        let peripheral = stage.find(Self.address)
        let link = stage.connect(peripheral)
        let services = stage.record(peripheral.discoverServices())
        stage.advance(1)
        #expect(services.elements.map(\.uuid).ownServices == [0x1801, 0xFF10, 0xFF20])
        let characteristics = stage.record(
            peripheral.discoverServices([0xFF10, 0xFF20]).concatMap { $0.discoverCharacteristics() })
        stage.advance(1)
        #expect(characteristics.elements.map(\.uuid) == [0xFF11, 0xFF12, 0xFF21])
        guard characteristics.elements.count == 3 else { return }
        let (mirror, notifying, indicating) = (
            characteristics.elements[0], characteristics.elements[1], characteristics.elements[2]
        )

        for (value, type): ([UInt8], Characteristic.WriteType) in [
            ([9, 8, 7], .withResponse), ([6], .withoutResponse), (Array(repeating: 5, count: 512), .withResponse),
            ([], .withResponse),
        ] {
            let written = stage.record(mirror.writeValue(value, type: type))
            let read = stage.record(mirror.readValue())
            stage.advance(1_000)
            #expect(written.isCompleted)
            #expect(read.elements == [value])
        }
        let descriptors = stage.record(mirror.discoverDescriptors().filter { $0.uuid == 0x2901 })
        stage.advance(1)
        if let descriptor = descriptors.elements.first {
            let written = stage.record(descriptor.writeValue([0x42, 0x43]))
            let read = stage.record(descriptor.readValue())
            stage.advance(1_000)
            #expect(written.isCompleted)
            #expect(read.elements == [[0x42, 0x43]])
        }
        #expect(descriptors.elements.count == 1)

        let notified = stage.record(notifying.observeValueUpdates())
        let indicated = stage.record(indicating.observeValueUpdates())
        stage.advance(100)
        for number in UInt8(1)...3 {
            stage.simulation.bluez.notify([number], from: Self.address.description, "ff12")
            stage.simulation.bluez.notify([number + 10], from: Self.address.description, "ff21")
        }
        stage.advance(100)
        #expect(notified.elements == [[1], [2], [3]])
        #expect(indicated.elements == [[11], [12], [13]])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked("/org/bluez/hci0/dev_C0_FF_EE_00_00_31"))
        stage.expectSettled()
    }

    @Test(.proves(.S87), arguments: [(UInt16(23), 23), (185, 185), (517, 517)])
    func `The MTU of a link is the one that the peripheral offers`(offered: UInt16, agreed: Int) {
        let stage = stage(mtu: offered)
        let peripheral = stage.find(Self.address)
        let link = stage.connect(peripheral)
        #expect(peripheral.mtu == agreed)
        #expect(link.isLive)
    }
}
