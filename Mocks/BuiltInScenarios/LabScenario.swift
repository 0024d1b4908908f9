import RxBluetoothSupport

extension Scenario {
    /// The adapter and eight peripherals of the virtual machine in `Tests/BlueZTests/Lab`.
    ///
    /// Three peripherals are heart-rate monitors, and one like them drops its link after 1.5 s. The others have two
    /// services of the same UUID, a value that requires encryption, 1,000 notifications a second, and a hostile name.
    public static let lab = Scenario(
        adapters: [SimulatedAdapter(address: "00:AA:01:00:00:01", name: nil)],
        peripherals: [
            heartRateMonitor(0x00, "HRM-0", 0), heartRateMonitor(0x01, "HRM-1", 1), heartRateMonitor(0x02, "HRM-2", 2),
            twins, secure, heartRateMonitor(0x12, "FLAKY", 9, dropsAfter: .milliseconds(1500)), loud, hostile,
        ])

    private static func address(_ lastByte: UInt8) -> String {
        "F0:F1:F2:F3:F4:" + lastByte.hexadecimal(uppercase: true)
    }

    /// The GATT service of each peripheral: Service Changed, Client Supported Features, Database Hash.
    private static let gatt = SimulatedService("1801") {
        SimulatedCharacteristic("2a05", .indicate)
        SimulatedCharacteristic("2b29", .read([0]), .write)
        SimulatedCharacteristic("2b2a", .read([UInt8](repeating: 0, count: 16)))
    }

    private static func advertisement(
        _ name: String, _ services: [String], data: [UInt16: [UInt8]] = [0x004C: [1, 2, 3, 4, 5]]
    ) -> SimulatedAdvertisement {
        SimulatedAdvertisement(every: .seconds(1), rssi: -50, name: name, services: services, manufacturerData: data)
    }

    private static func heartRateMonitor(
        _ lastByte: UInt8, _ name: String, _ index: UInt8, dropsAfter: Duration? = nil
    ) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address(lastByte)) {
            advertisement(name, ["180d"])
            SimulatedConnection(dropsAfter: dropsAfter)
            gatt
            SimulatedService("180d") {
                // Each value is a flags byte of 0 and the beats per minute.
                SimulatedCharacteristic("2a37", .notify(every: .milliseconds(50)) { [0, 60 + UInt8($0 % 60)] })
                SimulatedCharacteristic("2a38", .read([index + 1]))
                SimulatedCharacteristic("2a39", .read([0]), .write, .writeWithoutResponse)
            }
            SimulatedService("180f") {
                SimulatedCharacteristic("2a19", .read([90 - index]), .notify)
            }
        }
    }

    private static let twins = SimulatedPeripheral("TWINS", address: address(0x10)) {
        advertisement("TWINS", ["ffd0"])
        gatt
        for value: UInt8 in [11, 22] {
            SimulatedService("ffd0") { SimulatedCharacteristic("ffd1", .read([value])) }
        }
    }

    private static let secure = SimulatedPeripheral("SECURE", address: address(0x11)) {
        advertisement("SECURE", ["fff0"])
        gatt
        SimulatedService("fff0") {
            SimulatedCharacteristic("fff1", .read(Array("secret".utf8)), protection: .encryption)
        }
        SimulatedService("ffb0") {
            SimulatedCharacteristic(
                "ffb1", .read(Array("vault".utf8)), .write, .notify,
                descriptors: [
                    SimulatedDescriptor("2901", Array("text".utf8), writable: true, protection: .encryption)
                ],
                protection: .encryption)
        }
    }

    private static let loud = SimulatedPeripheral("LOUD", address: address(0x13)) {
        advertisement("LOUD", ["ffe0"])
        gatt
        SimulatedService("ffe0") {
            // Each value is the number of the notification (0, 1, 2…) in eight bytes, big-endian.
            SimulatedCharacteristic(
                "ffe1",
                .notify(every: .milliseconds(1)) { count in
                    (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
                })
        }
    }

    /// A peripheral with a hostile name: red text, a right-to-left override, a tab and a zero-width space.
    private static let hostile = SimulatedPeripheral(
        "\u{1B}[31mEVIL\u{1B}[0m\u{202E}\t\u{200B}", address: address(0x14)
    ) {
        advertisement("\u{1B}[31mEVIL\u{1B}[0m\u{202E}\t\u{200B}", [], data: [:])
        gatt
    }
}
