import RxBluetooth

func inConcatMap(manager: BluetoothManager, bag: DisposeBag) {
    manager.scanForPeripherals()
        // error: value of type 'Peripheral' has no member 'conect'
        .concatMap { $0.peripheral.conect() }
        .concatMap { $0.discoverServices() }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
