import RxBluetooth

func renamedUpdates(peripheral: Peripheral, bag: DisposeBag) {
    peripheral.connect()
        .flatMap { $0.discoverServices(["180D"]) }
        .flatMap { $0.discoverCharacteristics(["2A37"]) }
        // error: 'observeValueUpdateAndSetNotification()' has been renamed to 'observeValueUpdates()'
        .flatMap { $0.observeValueUpdateAndSetNotification() }
        .subscribe(onNext: { print($0) }, onError: { print("failed: \($0)") })
        .disposed(by: bag)
}
