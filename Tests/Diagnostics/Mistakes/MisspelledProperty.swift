import RxBluetooth

func misspelledProperty(manager: BluetoothManager) -> Observable<String?> {
    manager.scanForPeripherals()
        // error: value of type 'Peripheral' has no member 'nam'
        .map { $0.peripheral.nam }
}
