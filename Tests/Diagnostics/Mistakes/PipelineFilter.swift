import RxBluetooth

func pipelineFilter(manager: BluetoothManager, bag: DisposeBag) {
    manager.state
        // error: type 'BluetoothState' has no member 'poweredon'
        .filter { $0 == .poweredon }
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
