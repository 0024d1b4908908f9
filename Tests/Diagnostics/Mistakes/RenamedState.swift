import RxBluetooth

func renamedState(manager: BluetoothManager, bag: DisposeBag) {
    manager
        // error: 'observeState()' has been renamed to 'state'
        .observeState()
        .filter { $0 == .poweredOn }
        .take(1)
        .flatMap { _ in manager.scanForPeripherals(withServices: ["180D"]) }
        .subscribe(onNext: { print($0) }, onError: { print("failed: \($0)") })
        .disposed(by: bag)
}
