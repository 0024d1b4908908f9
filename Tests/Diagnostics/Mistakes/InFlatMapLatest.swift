import RxBluetooth

func inFlatMapLatest(manager: BluetoothManager, bag: DisposeBag) {
    manager.scanForPeripherals()
        // error: value of type 'Peripheral' has no member 'conect'
        .flatMapLatest { $0.peripheral.conect() }
        .flatMapLatest { $0.discoverServices() }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
