import RxBluetoothMocks

extension SimulatedPeripheral {
    /// Returns a peripheral that advertises ten times a second.
    static func beacon(
        _ address: String, name: String? = nil, rssi: Int = -60, services: [String] = [],
        manufacturerData: [UInt16: [UInt8]] = [:], serviceData: [String: [UInt8]] = [:],
        firstAfter: Duration = .zero
    ) -> SimulatedPeripheral {
        SimulatedPeripheral(name ?? "", address: address) {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: rssi, name: name, services: services,
                manufacturerData: manufacturerData, serviceData: serviceData, firstAfter: firstAfter)
        }
    }
}
