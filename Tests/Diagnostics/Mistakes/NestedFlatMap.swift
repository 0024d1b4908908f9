import RxBluetooth

func nestedFlatMap(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMap { peripheral in
            peripheral.discoverServices(["180D"])
                .flatMap { service in
                    service.discoverCharacteristics(["2A37"])
                        // error: has no member 'observeValues'
                        .flatMap { $0.observeValues() }
                }
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
