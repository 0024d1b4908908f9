import RxBluetooth

func pipelineUpdates(manager: BluetoothManager, bag: DisposeBag) {
    manager.state
        .filter { $0 == .poweredOn }
        .timeout(.seconds(10), scheduler: MainScheduler.instance)
        .take(1)
        .flatMap { _ in manager.scanForPeripherals(withServices: ["180D"]) }
        .take(1)
        .flatMap { $0.peripheral.connect() }
        .flatMap { $0.discoverServices(["180D"]) }
        .flatMap { $0.discoverCharacteristics(["2A37"]) }
        // error: value of type 'Characteristic' has no member 'observeValues'
        .flatMap { $0.observeValues() }
        .subscribe(onNext: { print($0) }, onError: { print("failed: \($0)") })
        .disposed(by: bag)
}
