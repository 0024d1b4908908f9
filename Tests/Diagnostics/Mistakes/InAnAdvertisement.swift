import RxBluetoothMocks

func inAnAdvertisement() -> SimulatedPeripheral {
    SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
        // error: expected 'every:rssi:name:'
        SimulatedAdvertisement(every: .milliseconds(200), rssi: -67, nam: "Strap")
        SimulatedService("180d")
    }
}
