import RxBluetooth

func oldInitialiser() -> BluetoothManager {
    // error: use BluetoothManager(configuration: .init(queue: queue))
    BluetoothManager(queue: .main)
}
