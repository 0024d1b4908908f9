import RxBluetooth

func renamedConnect(manager: BluetoothManager, bag: DisposeBag) {
    manager.scanForPeripherals(withServices: ["180D"])
        .take(1)
        // error: 'establishConnection(options:)' has been renamed to 'connect(options:)'
        .flatMap { $0.peripheral.establishConnection() }
        .flatMap { $0.discoverServices(["180D"]) }
        .flatMap { $0.discoverCharacteristics(["2A37"]) }
        .flatMap { $0.observeValueUpdates() }
        .subscribe(onNext: { print($0) }, onError: { print("failed: \($0)") })
        .disposed(by: bag)
}
