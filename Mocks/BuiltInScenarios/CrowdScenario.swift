import RxBluetoothSupport

extension Scenario {
    /// 1,000 non-connectable beacons that advertise five times a second each, to test a client under load.
    public static let crowd = crowd(of: 1000, every: .milliseconds(200))

    /// Returns a scenario with a number of non-connectable beacons.
    ///
    /// - Parameters:
    ///   - count: The number of beacons, 0 to 65,536. Their addresses start at `C0:C0:C0:C0:00:00`.
    ///   - interval: The time between two advertisements of a beacon.
    public static func crowd(of count: Int, every interval: Duration) -> Scenario {
        precondition((0...0x1_0000).contains(count), "A crowd has 0 to 65,536 beacons, not \(count).")
        return Scenario(
            peripherals: (0..<count).map { number in
                let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)]
                let ending = bytes.hexadecimal(separator: ":")
                return SimulatedPeripheral("Beacon \(number)", address: "C0:C0:C0:C0:\(ending)") {
                    SimulatedAdvertisement(
                        every: interval, rssi: -60 - number % 30, jitter: 3, name: "Beacon \(number)",
                        connectable: false, manufacturerData: [0xFFFF: [0xBE, 0xAC] + bytes])
                }
            })
    }
}
