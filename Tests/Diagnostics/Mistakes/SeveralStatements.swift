import RxBluetooth

func severalStatements(peripherals: Observable<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMap { peripheral in
            // error: value of type 'Peripheral' has no member 'nam'
            print("connected to \(peripheral.nam)")
            return peripheral.discoverServices()
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
