import RxBluetoothMocks

func inAService() -> SimulatedPeripheral {
    SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
        SimulatedAdvertisement(every: .milliseconds(200), rssi: -67, name: "Strap")
        SimulatedService("180d") {
            // error: type 'SimulatedBehaviour' has no member 'reed'
            SimulatedCharacteristic("2a37", .reed([1]))
            SimulatedCharacteristic("2a38", .read([1]))
        }
    }
}
