import RxBluetooth

func nestedFlatMapLatest(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMapLatest { peripheral in
            peripheral.discoverServices(["180D"])
                .flatMapLatest { $0.discoverCharacteristics(["2A37"]) }
                // error: value of type 'Characteristic' has no member 'readValu'
                .flatMapLatest { $0.readValu() }
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
