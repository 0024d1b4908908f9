import RxBluetooth

func nestedFlatMapFirst(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMapFirst { peripheral in
            peripheral.discoverServices(["180D"])
                .flatMapFirst { $0.discoverCharacteristics(["2A37"]) }
                // error: value of type 'Characteristic' has no member 'readValu'
                .flatMapFirst { $0.readValu() }
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
