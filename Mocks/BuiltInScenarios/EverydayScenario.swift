extension Scenario {
    /// Five typical peripherals.
    ///
    /// | Address, which begins with C0:FF:EE:00:00 | Name | Advertises | Characteristics |
    /// |---|---|---|---|
    /// | 01 | Heart rate strap | 180D, 180F | 2A37 notifies each second, 2A38, 2A39; 2A19 is 87 %; 2A29, 2A24, 2A26 |
    /// | 02 | Thermometer | 181A, with data | 2A6E notifies each 2 s, from 23.50 °C to 23.59 °C; 2A19 is 54 % |
    /// | 03 | Door beacon | an iBeacon, not connectable | |
    /// | 04 | Loose plug | FFF0 | FFF1, and FFF2 notifies each 200 ms; it drops its link after 1.5 s |
    /// | 05 | Twin sensor | FFD0 | two services FFD0 with one FFD1 each, of value 0B and 16 |
    public static let everyday = Scenario(peripherals: [
        heartRateStrap, thermometer, doorBeacon, loosePlug, twinSensor,
    ])

    private static let heartRateStrap = SimulatedPeripheral("Heart rate strap", address: "C0:FF:EE:00:00:01") {
        SimulatedAdvertisement(
            every: .milliseconds(100), rssi: -58, jitter: 4, name: "Heart rate strap", services: ["180d", "180f"],
            appearance: 0x0341)
        SimulatedService("180d") {
            // The measurement is readable, as on some real straps, although the Heart Rate Profile does not require it.
            SimulatedCharacteristic(
                "2a37", .read([0x00, 61]), .notify(every: .seconds(1)) { beat in [0x00, 62 + UInt8(beat % 24)] })
            SimulatedCharacteristic("2a38", .read([0x01]))
            SimulatedCharacteristic("2a39", .read([0x00]), .write, .writeWithoutResponse)
        }
        SimulatedService("180f") {
            SimulatedCharacteristic("2a19", .read([87]), .notify)
        }
        SimulatedService("180a") {
            SimulatedCharacteristic("2a29", .read(Array("Everyday Instruments".utf8)))
            SimulatedCharacteristic("2a24", .read(Array("Strap 2".utf8)))
            SimulatedCharacteristic("2a26", .read(Array("1.4.0".utf8)))
        }
    }

    private static let thermometer = SimulatedPeripheral("Thermometer", address: "C0:FF:EE:00:00:02") {
        SimulatedAdvertisement(
            every: .milliseconds(250), rssi: -71, jitter: 3, name: "Thermometer", txPower: 4, services: ["181a"],
            serviceData: ["181a": [0x2E, 0x09]], appearance: 0x0300)
        SimulatedService("181a") {
            // Each value is a temperature in hundredths of a degree Celsius, little-endian, from 23.50 to 23.59.
            SimulatedCharacteristic(
                "2a6e", .read([0x2E, 0x09]), .notify(every: .seconds(2)) { count in [0x2E + UInt8(count % 10), 0x09] },
                descriptors: [.userDescription("Living room")])
        }
        SimulatedService("180f") {
            SimulatedCharacteristic("2a19", .read([54]))
        }
    }

    private static let doorBeacon = SimulatedPeripheral("Door beacon", address: "C0:FF:EE:00:00:03") {
        SimulatedAdvertisement(
            every: .milliseconds(300), rssi: -64, jitter: 5, name: "Door beacon", connectable: false,
            manufacturerData: [
                // The data of an iBeacon: type, length, UUID, major 1, minor 7, and the RSSI at one metre, -59 dBm.
                0x004C: [
                    0x02, 0x15, 0x74, 0x27, 0x8B, 0xDA, 0xB6, 0x44, 0x45, 0x20, 0x8F, 0x0C, 0x72, 0x0E, 0xAF, 0x05,
                    0x99,
                    0x35, 0x00, 0x01, 0x00, 0x07, 0xC5,
                ]
            ])
    }

    private static let loosePlug = SimulatedPeripheral("Loose plug", address: "C0:FF:EE:00:00:04") {
        SimulatedAdvertisement(every: .milliseconds(200), rssi: -80, jitter: 6, name: "Loose plug", services: ["fff0"])
        SimulatedConnection(dropsAfter: .milliseconds(1500))
        SimulatedService("fff0") {
            SimulatedCharacteristic("fff1", .read([0x00]), .write)
            SimulatedCharacteristic("fff2", .notify(every: .milliseconds(200)) { count in [UInt8(count % 256)] })
        }
    }

    private static let twinSensor = SimulatedPeripheral("Twin sensor", address: "C0:FF:EE:00:00:05") {
        SimulatedAdvertisement(every: .milliseconds(200), rssi: -66, jitter: 3, name: "Twin sensor", services: ["ffd0"])
        SimulatedService("ffd0") { SimulatedCharacteristic("ffd1", .read([11])) }
        SimulatedService("ffd0") { SimulatedCharacteristic("ffd1", .read([22])) }
    }
}
