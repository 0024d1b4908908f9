import RxBluetooth

func pipelineState(manager: BluetoothManager, bag: DisposeBag) {
    // error: value of type 'BluetoothManager' has no member 'stat'
    manager.stat
        .filter { $0 == .poweredOn }
        .timeout(.seconds(10), scheduler: MainScheduler.instance)
        .take(1)
        .flatMap { _ in manager.scanForPeripherals(withServices: ["180D"]) }
        .take(1)
        .flatMap { $0.peripheral.connect() }
        .flatMap { $0.discoverServices(["180D"]) }
        .flatMap { $0.discoverCharacteristics(["2A37"]) }
        .flatMap { $0.observeValueUpdates() }
        .subscribe(onNext: { print($0) }, onError: { print("failed: \($0)") })
        .disposed(by: bag)
}
