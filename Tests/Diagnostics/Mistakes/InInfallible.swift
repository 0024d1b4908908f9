import RxBluetooth

func inInfallible(peripherals: Infallible<Peripheral>, bag: DisposeBag) {
    peripherals
        // error: value of type 'Peripheral' has no member 'nam'
        .flatMap { Infallible.just($0.nam) }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
