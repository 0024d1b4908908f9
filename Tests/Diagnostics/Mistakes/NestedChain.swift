import RxBluetooth

func nestedChain(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMap { peripheral in
            peripheral.discoverServices(["180D"])
                .flatMap { $0.discoverCharacteristics(["2A37"]) }
                // error: value of type 'Characteristic' has no member 'uid'
                .filter { $0.uid == "2A37" }
                .flatMap { $0.observeValueUpdates() }
                .map { (peripheral, $0) }
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
