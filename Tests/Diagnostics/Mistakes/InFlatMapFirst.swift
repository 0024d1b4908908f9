import RxBluetooth

func inFlatMapFirst(manager: BluetoothManager, bag: DisposeBag) {
    manager.scanForPeripherals()
        // error: value of type 'Peripheral' has no member 'conect'
        .flatMapFirst { $0.peripheral.conect() }
        .flatMapFirst { $0.discoverServices() }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
