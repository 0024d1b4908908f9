import RxBluetooth

func misspelledScanOption(manager: BluetoothManager) -> Observable<Peripheral> {
    // error: expected 'allowsDuplicates:'
    manager.scanForPeripherals(options: ScanOptions(allowDuplicates: true))
        .take(1)
        .flatMap { $0.peripheral.connect() }
}
