import RxBluetooth

func lastStatement(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMap { peripheral in
            print("connected to \(peripheral)")
            // error: value of type 'Peripheral' has no member 'discoverService'
            return peripheral.discoverService()
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
