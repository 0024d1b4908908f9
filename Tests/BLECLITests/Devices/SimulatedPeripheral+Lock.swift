import RxBluetoothMocks

extension SimulatedPeripheral {
    /// Returns a lock with two protected values, open values between them, and notifications.
    static func lock(
        pairing: SimulatedPairing = SimulatedPairing(), furtherServices: [SimulatedService] = []
    ) -> SimulatedPeripheral {
        SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
            pairing
            SimulatedService("ffd0") {
                SimulatedCharacteristic("ffd1", .read([1]))
                SimulatedCharacteristic("ffd2", .read([2]), protection: .encryption)
                SimulatedCharacteristic("ffd3", .read([3]))
                SimulatedCharacteristic("ffd4", .read([4]), protection: .encryption)
                SimulatedCharacteristic("ffd5", .read([5]))
                SimulatedCharacteristic("ffd6", .notify(every: .milliseconds(500)) { [UInt8($0 & 0xFF)] })
            }
            furtherServices
        }
    }
}
