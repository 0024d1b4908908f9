import RxBluetooth

func nestedInInfallible(peripherals: Infallible<Peripheral>, bag: DisposeBag) {
    peripherals
        .flatMapLatest { peripheral in
            peripheral.connectionState.asInfallible(onErrorRecover: { _ in .empty() })
                .flatMapLatest { Infallible.just(($0, peripheral)) }
                // error: value of type 'Peripheral' has no member 'nam'
                .map { $1.nam }
        }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
