import RxBluetoothMocks

extension Scenario {
    /// Peripherals that advertise ten times a second, and connectable sensors that notify once a second.
    static func crowd(advertising: Int, connected: Int, seed: UInt64) -> Scenario {
        let sensors = (0..<connected).map { number in
            SimulatedPeripheral("Sensor", address: address(number)) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, services: ["181a"])
                SimulatedService("181a") {
                    SimulatedCharacteristic("2a6e", .notify(every: .seconds(1)) { [UInt8($0 % 256)] })
                }
            }
        }
        let beacons = (0..<advertising).map { number in
            SimulatedPeripheral("Beacon", address: address(0x1000 + number)) {
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -60, jitter: 5,
                    manufacturerData: [0x004C: [1, 2, 3, UInt8(number % 256)]])
            }
        }
        return Scenario(peripherals: sensors + beacons, seed: seed)
    }

    /// Returns the address of a sensor, or of a beacon if the number is 0x1000 or above.
    static func address(_ number: Int) -> String {
        let digits = String(0x10000 + number, radix: 16, uppercase: true).dropFirst()
        return "C0:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))"
    }
}
