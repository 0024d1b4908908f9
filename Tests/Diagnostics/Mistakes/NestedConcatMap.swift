import RxBluetooth

func nestedConcatMap(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .concatMap { peripheral in
            peripheral.discoverServices(["180D"])
                .concatMap { $0.discoverCharacteristics(["2A37"]) }
                // error: value of type 'Characteristic' has no member 'readValu'
                .concatMap { $0.readValu() }
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
